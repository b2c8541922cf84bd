// SPDX-License-Identifier: Apache-2.0
// The types that instructions want: names, the result, then each operand that is an id. A column has a class and
// relations, all of which must hold.
//
// Classes: any; int, uint, float, bool, number: scalars or vectors of such components; matrix; pointer; with `scalar` or
// `vector` only those. Relations: `same` as the result, `component` of the result, `shape` and `width`: as many components
// and bits as the result, `resized`: other bits; `same1`, `shape1`, `width1`: as the first operand; `pointee`: a pointer
// to the result's type; `target1`: the type to which the first operand points.

/** One row for each group of instructions. */
export const TYPE_RULES = `
OpSNegate OpNot OpBitReverse | int | int shape width
OpFNegate OpQuantizeToF16 | float | same
OpIAdd OpISub OpIMul OpSDiv OpSRem OpSMod | int | int shape width | int shape width
OpUDiv OpUMod | uint | same | same
OpFAdd OpFSub OpFMul OpFDiv OpFRem OpFMod | float | same | same
OpVectorTimesScalar | float vector | same | component
OpMatrixTimesScalar | matrix | same | component
OpVectorTimesMatrix | float vector | float vector | matrix
OpMatrixTimesVector | float vector | matrix | float vector
OpMatrixTimesMatrix | matrix | matrix | matrix
OpOuterProduct | matrix | float vector | float vector
OpTranspose | matrix | matrix
OpDot | number scalar | number vector | same1
OpAny OpAll | bool scalar | bool vector
OpIsNan OpIsInf OpIsFinite OpIsNormal OpSignBitSet | bool | float shape
OpLessOrGreater OpOrdered OpUnordered | bool | float shape | same1
OpLogicalEqual OpLogicalNotEqual OpLogicalOr OpLogicalAnd | bool | same | same
OpLogicalNot | bool | same
OpIEqual OpINotEqual OpUGreaterThan OpSGreaterThan OpUGreaterThanEqual OpSGreaterThanEqual OpULessThan OpSLessThan OpULessThanEqual OpSLessThanEqual | bool | int shape | int shape width1
OpFOrdEqual OpFUnordEqual OpFOrdNotEqual OpFUnordNotEqual OpFOrdLessThan OpFUnordLessThan OpFOrdGreaterThan OpFUnordGreaterThan OpFOrdLessThanEqual OpFUnordLessThanEqual OpFOrdGreaterThanEqual OpFUnordGreaterThanEqual | bool | float shape | same1
OpShiftRightLogical OpShiftRightArithmetic OpShiftLeftLogical | int | int shape width | int shape
OpBitwiseOr OpBitwiseXor OpBitwiseAnd | int | int shape width | int shape width
OpBitFieldInsert | int | same | same | int scalar | int scalar
OpBitFieldSExtract OpBitFieldUExtract | int | same | int scalar | int scalar
OpBitCount | int | int shape
OpConvertFToU | uint | float shape
OpConvertFToS | int | float shape
OpConvertSToF OpConvertUToF | float | int shape
OpUConvert | uint | int shape resized
OpSConvert | int | int shape resized
OpFConvert | float | float shape resized
OpSatConvertSToU | uint | int shape
OpSatConvertUToS | int | int shape
OpConvertPtrToU | uint scalar | pointer
OpConvertUToPtr | pointer | int scalar
OpPtrCastToGeneric OpGenericCastToPtr OpGenericCastToPtrExplicit | pointer | pointer
OpCopyObject | any | same
OpSelect | any | bool | same | same
OpVectorExtractDynamic | scalar | vector | int scalar
OpVectorInsertDynamic | vector | same | component | int scalar
OpAtomicLoad | number scalar | pointee
OpAtomicExchange | number scalar | pointee | any | any | same
OpAtomicCompareExchange OpAtomicCompareExchangeWeak | int scalar | pointee | any | any | any | same | same
OpAtomicIIncrement OpAtomicIDecrement | int scalar | pointee
OpAtomicIAdd OpAtomicISub OpAtomicSMin OpAtomicUMin OpAtomicSMax OpAtomicUMax OpAtomicAnd OpAtomicOr OpAtomicXor | int scalar | pointee | any | any | same
OpAtomicFAddEXT OpAtomicFMinEXT OpAtomicFMaxEXT | float scalar | pointee | any | any | same
OpAtomicStore | - | pointer | any | any | target1
OpAtomicFlagTestAndSet | bool scalar | pointer
OpGroupAll OpGroupAny | bool scalar | any | bool scalar
OpGroupBroadcast | any | any | same | int
OpGroupIAdd OpGroupUMin OpGroupSMin OpGroupUMax OpGroupSMax | int | any | same
OpGroupFAdd OpGroupFMin OpGroupFMax | float | any | same
OpGroupNonUniformElect | bool scalar
OpGroupNonUniformAll OpGroupNonUniformAny | bool scalar | any | bool scalar
OpGroupNonUniformAllEqual | bool scalar | any | any
OpGroupNonUniformBroadcast OpGroupNonUniformShuffle OpGroupNonUniformShuffleXor OpGroupNonUniformShuffleUp OpGroupNonUniformShuffleDown | any | any | same | int scalar
OpGroupNonUniformBroadcastFirst | any | any | same
OpGroupNonUniformBallot | uint vector | any | bool scalar
OpGroupNonUniformInverseBallot | bool scalar | any | uint vector
OpGroupNonUniformBallotBitExtract | bool scalar | any | uint vector | int scalar
OpGroupNonUniformBallotBitCount OpGroupNonUniformBallotFindLSB OpGroupNonUniformBallotFindMSB | uint scalar | any | uint vector
OpGroupNonUniformIAdd OpGroupNonUniformIMul OpGroupNonUniformSMin OpGroupNonUniformUMin OpGroupNonUniformSMax OpGroupNonUniformUMax OpGroupNonUniformBitwiseAnd OpGroupNonUniformBitwiseOr OpGroupNonUniformBitwiseXor | int | any | same
OpGroupNonUniformFAdd OpGroupNonUniformFMul OpGroupNonUniformFMin OpGroupNonUniformFMax | float | any | same
OpGroupNonUniformLogicalAnd OpGroupNonUniformLogicalOr OpGroupNonUniformLogicalXor | bool | any | same
OpSubgroupShuffleINTEL OpSubgroupShuffleXorINTEL | any | same | int scalar
OpExpectKHR | any | same | same
OpAssumeTrueKHR | - | bool scalar
OpBranchConditional | - | bool scalar
OpSwitch | - | int scalar
`;
