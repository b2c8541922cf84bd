// SPDX-License-Identifier: Apache-2.0
// The statements of the proposal of SYCL modules (revision 9) in our words, by its sections, each with the tests that
// show it, by their ids. `absent`: why there is none, and what there is instead.

/** A statement. */
export interface Statement {
  readonly text: string;
  /** Ids of rows; an id that ends in `-` stands for all that begin so. */
  readonly tests: readonly string[];
  /** Why it does not hold here, or holds in another way. */
  readonly absent?: string;
}

/** A section of the proposal. */
export interface Section {
  readonly title: string;
  readonly statements: readonly Statement[];
}

/** All statements. */
export const SECTIONS: readonly Section[] = [
  {
    title: "What is wrong with programs",
    statements: [
      {
        text: "A program's state changes by its methods, so it is not safe to share; modules have a state that does not change.",
        tests: ["build/input-stays", "state/class-", "types/states"],
      },
      {
        text: "Errors do not depend on a state that an object happens to be in: the functions take the state that they need.",
        tests: ["types/functions", "errors/build-state", "errors/compile-state", "errors/link-state"],
      },
      {
        text: "One can tell what a call builds: all kernels of the module, which then lists them.",
        tests: ["build/kernel-names", "this-module/one-per-file"],
      },
      {
        text: "Options of compilation are not strings of flags for every backend: properties are objects, and flags are the OpenCL backend's.",
        tests: ["options/debug", "options/log", "options/vendor"],
      },
      {
        text: "A backend without a compiler can have modules: executables load and run without one.",
        tests: ["constants/argument-binary", "dispatch/executable-first"],
      },
      {
        text: "A kernel that was looked up is the one that is launched, and looking it up builds nothing.",
        tests: ["dispatch/kernel-object", "references/shared"],
      },
      {
        text: "Naming kernels that are lambdas is left to another proposal.",
        tests: [],
        absent: "kernels of translated files have the names of their variables, so there is nothing to name.",
      },
    ],
  },
  {
    title: "Modules, images, states",
    statements: [
      { text: "There are three types of modules: input, object, executable.", tests: ["state/name-", "state/class-", "types/states"] },
      { text: "Functions make modules; constructors are not for programs.", tests: ["types/functions", "build/executable", "compile/object"] },
      { text: "A module is for the devices of one context.", tests: ["state/context-", "images/device"] },
      { text: "A module has device images, each with the same functions, symbols and metadata in some form.", tests: ["images/same-functions", "images/iteration-"] },
      { text: "Which images there are is up to the implementation and to the options.", tests: ["images/formats", "images/device"] },
      { text: "A module may have SPIR-V and code for a device as two images of the same function.", tests: ["images/same-functions", "this-module/states-all"] },
      { text: "The form of the images does not determine the state.", tests: ["images/format-is-not-state"] },
      { text: "Images that are retrieved are in the state that is asked for.", tests: ["state/images-of-state-", "this-module/get-"] },
      { text: "Whether images in a state are made on request is up to the implementation.", tests: ["this-module/get-source"], absent: "`thisModule.get` makes none: what is there is found; launches and `build` make them." },
      { text: "A context with a compiler may transform images on the fly; without one nobody expects it.", tests: ["dispatch/steps-", "dispatch/executable-first"] },
      { text: "An empty module has no images.", tests: ["empty/no-images", "empty/state", "empty/no-kernels"] },
      { text: "Equal modules are bound to the same context.", tests: ["equality/context-"] },
      { text: "Equal modules are in the same state.", tests: ["equality/state-"] },
      { text: "Equal modules have the same images.", tests: ["equality/same-images-", "equality/images", "equality/more-images", "equality/order", "equality/empty"] },
      { text: "An input module has images as the device compiler or a factory function made them.", tests: ["images/text-bytes", "images/formats", "this-module/get-source"] },
      { text: "An input module can neither be launched nor linked.", tests: ["types/executable-members", "errors/use-module-state", "errors/link-state"] },
      { text: "An object module is made of an input module, and an executable one of that.", tests: ["compile/object", "link/one"] },
      { text: "A function skips the step between.", tests: ["build/executable"] },
      { text: "An object module may have kernels, symbols and device functions.", tests: ["compile/device-functions", "compile/undefined"] },
      { text: "An object module cannot be launched; it must be linked, so that all symbols are resolved.", tests: ["state/members-", "link/resolves"] },
      { text: "Linking object modules gives an executable module.", tests: ["link/one", "link/kernels-of-all"] },
      { text: "A link keeps all specialization constants of its modules where no two have the same.", tests: ["constants/link-union"] },
      { text: "Otherwise the values of those that are in several are undefined.", tests: ["constants/link-intersection"] },
      { text: "An executable module is ready to be used on the devices of its context.", tests: ["build/executable", "build/binary", "join/runs"] },
      { text: "An executable module has one kernel at least.", tests: ["build/has-a-kernel", "errors/build-no-kernel", "errors/link-no-kernel"] },
      { text: "All of its kernels are launched without further compiling or linking.", tests: ["build/no-work-at-dispatch", "link/kernels-of-all"], absent: "the check and the link are done; code is generated at a kernel's first launch, when it is needed (docs/decisions/062-late-code.md). Executables that were saved have all code." },
      { text: "A kernel is a function that the host calls on a device of the context, or takes as a native object.", tests: ["kernels/info", "dispatch/kernel-object", "interop/kernel-native"] },
      { text: "Building, compiling and linking are free functions.", tests: ["types/functions"] },
      { text: "Compiling a text at run time belongs to a backend: OpenCL C to that of OpenCL.", tests: ["build/executable", "interop/input-native"] },
      { text: "The device compiler makes one module at least for each translation unit, with all kernels of it.", tests: ["this-module/one-per-file"] },
      { text: "That module is reached by `thisModule`.", tests: ["this-module/states-", "this-module/get-"] },
      { text: "Programs make modules of their own of what backends have: OpenCL programs, SPIR-V.", tests: ["build/spirv", "interop/import-input", "interop/import-executable"] },
      { text: "How kernels of a unit are divided into compilation modules is not visible.", tests: ["this-module/one-per-file", "link/kernels-of-all"] },
      { text: "Object modules are linked however their kernels are organised, if all references are solved.", tests: ["link/resolves", "link/saved-objects", "link/objects-stay"] },
      { text: "A link that leaves references undefined fails with an exception.", tests: ["errors/link-undefined"] },
      { text: "Linking must not cause a wrong redefinition of symbols.", tests: ["link/private-names", "errors/link-twice"] },
      { text: "Modules with different images for a context are joined to one with all of them.", tests: ["join/input", "join/object", "join/executable", "join/copies"] },
    ],
  },
  {
    title: "Dispatch",
    statements: [
      { text: "The module of the translation unit is found by `thisModule.get(context, state)`, and used by default.", tests: ["this-module/get-", "dispatch/steps-"] },
      { text: "What is found is bound to the context, with images for its devices.", tests: ["this-module/contexts", "this-module/get-executable"] },
      { text: "Modules of different contexts may have images of the same kernels.", tests: ["this-module/contexts"] },
      { text: "Step 1: the kernel is looked for in the executable module.", tests: ["dispatch/executable-first", "dispatch/executable-lacks"] },
      { text: "Step 2: else the object module is linked, and looked in.", tests: ["dispatch/object-second", "dispatch/step-fails"] },
      { text: "Step 3: else the input module is built, and looked in.", tests: ["dispatch/steps-source", "dispatch/step-fails"] },
      { text: "Step 4: else `kernel_not_found` is thrown.", tests: ["errors/dispatch-nowhere", "errors/dispatch-does-not-build", "errors/dispatch-other-text"] },
      { text: "Step 5: the kernel is launched.", tests: ["dispatch/steps-", "dispatch/kept"] },
      { text: "`handler.useModule` puts an executable module in the place of the default.", tests: ["dispatch/use-module", "dispatch/use-module-name"] },
      { text: "A selector of device images gets the first place and the last, and returns the image to launch.", tests: ["dispatch/selector", "dispatch/selector-places"] },
      { text: "What a selector looks at is up to the implementation.", tests: ["dispatch/selector-format"] },
      { text: "A kernel object is passed to `parallelFor` and `singleTask`.", tests: ["dispatch/kernel-object", "dispatch/use-module-kernel"] },
      { text: "All kernels of a command group come from the module that it uses.", tests: ["dispatch/use-module", "errors/dispatch-unit-in-other-module"] },
      { text: "`kernel_not_found` is thrown synchronously where that module does not have the kernel.", tests: ["errors/dispatch-use-module-lacks", "errors/dispatch-unit-in-other-module"] },
      { text: "`invalid_kernel` is thrown synchronously for a kernel object of another module.", tests: ["errors/dispatch-other-kernel", "dispatch/use-equal-module"] },
      { text: "The selector helps to choose an image of the module in use, for all kernels of the group.", tests: ["dispatch/selector", "errors/selector-foreign", "errors/selector-nothing"] },
    ],
  },
  {
    title: "The class",
    statements: [
      { text: "`getContext` returns the context.", tests: ["state/context-"] },
      { text: "`getKernel(name)` is there for executable modules.", tests: ["types/executable-members", "kernels/info", "errors/get-kernel"] },
      { text: "`getKernel` by a type that names the kernel.", tests: ["dispatch/function-kept"], absent: "JavaScript has no types at run time: a translated kernel is an object, which is passed itself." },
      { text: "`hasKernel(name)` is there for executable modules.", tests: ["build/kernel-names", "types/executable-members"] },
      { text: "`getKernelNames` lists the kernels of an executable module; those that are known at compile time at least.", tests: ["build/kernel-names", "errors/get-kernel"] },
      { text: "`begin` is the place of the first image, `end` that behind the last.", tests: ["images/begin-end-", "images/rest-", "errors/iterator-end", "errors/iterator-past"] },
      { text: "`hasSpecConstant` tells whether the module has specialization constants.", tests: ["constants/has", "state/no-constants-"] },
      { text: "`setSpecConstant` is there for input modules, and returns an immutable object for the binding.", tests: ["types/input-members", "constants/set", "constants/binding"] },
      { text: "Constructors are private.", tests: ["types/functions"], absent: "TypeScript has no private constructors for functions of other files; they are marked internal and are not in the declarations." },
      { text: "Modules have common reference semantics.", tests: ["references/shared", "references/lives-on"] },
    ],
  },
  {
    title: "Free functions",
    statements: [
      { text: "Programs pass properties for the compilation, and no flags.", tests: ["options/debug", "options/log", "errors/options-unknown"] },
      { text: "`debug`: the module is built with debug symbols.", tests: ["options/debug"] },
      { text: "`log`: the log goes to a stream of the program's; `getLogStream` returns it.", tests: ["options/log", "options/log-compile", "errors/log-stream"] },
      { text: "Vendors have options of their own.", tests: ["options/vendor", "options/vendor-compile", "constants/argument"] },
      { text: "`build` compiles and links an input module to an executable one.", tests: ["build/executable", "build/spirv", "build/object-binary", "options/several"] },
      { text: "`build` throws `compile_program_error`.", tests: ["errors/build-"] },
      { text: "`build` throws `link_program_error`.", tests: ["errors/build-unresolved", "errors/build-no-kernel"] },
      { text: "`compile` makes an object module of an input module.", tests: ["compile/object", "compile/undefined"] },
      { text: "`compile` throws `compile_program_error`.", tests: ["errors/compile-"] },
      { text: "`link` links object modules to one executable module.", tests: ["link/one", "link/resolves", "link/kernels-of-all"] },
      { text: "All object modules of a link are of the same context.", tests: ["errors/link-contexts"] },
      { text: "`link` throws `link_program_error` where they cannot be linked.", tests: ["errors/link-undefined", "errors/link-twice"] },
      { text: "`link` throws `invalid_object` for no modules.", tests: ["errors/link-none"] },
      { text: "`join` copies all images of the modules into a new module.", tests: ["join/copies", "join/one"] },
      { text: "All images that are joined have the same kernels and symbols.", tests: ["errors/join-kernels", "errors/join-inputs"] },
      { text: "`join` throws `invalid_object` for modules that do not go together, and for none.", tests: ["errors/join-none", "errors/join-contexts", "errors/join-states"] },
    ],
  },
  {
    title: "The OpenCL backend",
    statements: [
      { text: "It takes traditional flags as strings.", tests: ["options/vendor", "errors/options-opencl"] },
      { text: "`createWithSource` makes an input module of a text.", tests: ["images/text-bytes", "errors/source-text"] },
      { text: "`createProgramWithIL` makes one of an intermediate language.", tests: ["build/spirv", "errors/il-magic", "errors/il-broken"] },
      { text: "`createProgramWithBinary` makes one of device binaries.", tests: ["build/binary", "build/object-binary", "errors/binary-other"] },
      { text: "A binary is a blob: a pointer and a size.", tests: ["build/binary"], absent: "a `Uint8Array` is both." },
      { text: "`createProgramWithBuiltinKernels` makes one of names of kernels that the devices have.", tests: ["errors/builtin-unknown", "errors/builtin-none"], absent: "no target of the kit has kernels of its own, so no name is accepted yet." },
      { text: "All states of modules are states of a `cl_program`.", tests: ["interop/input-native", "interop/object-native", "interop/executable-native"] },
      { text: "A kernel is a `cl_kernel`.", tests: ["interop/kernel-native", "interop/import-kernel"] },
      { text: "The program of an input module is fit for clCompileProgram and clBuildProgram.", tests: ["interop/input-native", "interop/input-il-native"] },
      { text: "The program of an object module is fit for clLinkProgram.", tests: ["interop/object-native", "interop/build-type"] },
      { text: "The program of an executable module is for none of them.", tests: ["interop/executable-no-compile"] },
      { text: "`importProgram` makes a module of a program.", tests: ["interop/import-", "interop/round-trip"] },
      { text: "The program's reference count rises.", tests: ["interop/import-retains", "interop/same-program"] },
      { text: "Input: the program has a source or an intermediate language.", tests: ["interop/import-input", "interop/import-il", "errors/import-input"] },
      { text: "Object: the program has binaries and comes of clCompileProgram.", tests: ["interop/import-object", "errors/import-object", "errors/import-object-built"] },
      { text: "Executable: the program has binaries, comes of clLinkProgram or clBuildProgram, and has a kernel.", tests: ["interop/import-executable", "interop/import-linked", "errors/import-executable", "errors/import-executable-compiled", "errors/import-no-kernels"] },
    ],
  },
  {
    title: "Contexts and translation units",
    statements: [
      { text: "`context.getModules(state)` returns the modules of the context in a state.", tests: ["context/get-modules"] },
      { text: "There may be more of them than the program has made.", tests: ["this-module/listed"] },
      { text: "`hasAnyModule` is true where there is a module in any state.", tests: ["this-module/states-"] },
      { text: "`hasModuleIn` is true where there is a module in the state.", tests: ["this-module/states-"] },
      { text: "`get` returns all images in the state.", tests: ["this-module/get-"] },
      { text: "Where `hasModuleIn` is true, `get` returns a module for the same values.", tests: ["this-module/get-", "this-module/same"] },
      { text: "Where `hasAnyModule` is true, `get` returns one for one state at least.", tests: ["this-module/states-", "this-module/get-all"] },
      { text: "`get` may return an empty module; nobody is to expect executables of images that are input.", tests: ["this-module/get-none", "this-module/get-source"] },
      { text: "A module of a context on the host backend has no images and no constants.", tests: ["empty/no-images", "errors/dispatch-nowhere"], absent: "there is no host backend: the processor is a device with a compiler. A unit without images has what the statement says of it." },
    ],
  },
  {
    title: "Specialization constants",
    statements: [
      { text: "A constant has a value that is not known before the module is there in an intermediate form.", tests: ["constants/spirv", "constants/set"] },
      { text: "Not every image of a module needs to support them.", tests: ["constants/not-all-images"] },
      { text: "Without a value the default is used.", tests: ["constants/default", "constants/spirv"] },
      { text: "Without a default C++'s rules of initialisation hold.", tests: ["constants/zero-"] },
      { text: "Where images do not support them, values are passed as additional arguments of the kernel.", tests: ["constants/argument", "constants/argument-binary", "dispatch/unit-constant-argument"] },
      { text: "`SpecConstant` is a placeholder with `get` and a conversion.", tests: ["constants/conversion", "constants/binding"] },
      { text: "The placeholder may stand for a parameter, so what a kernel takes does not depend on the support.", tests: ["constants/argument-count", "constants/as-value"] },
      { text: "The backend sets values in an executable module.", tests: ["constants/executable", "constants/executable-spirv", "errors/constant-executable-fixed"] },
      { text: "`handler.getSpecConstant` returns the placeholder.", tests: ["constants/handler", "errors/constant-handler-foreign"] },
      { text: "The value depends on the module that is used, not on the placeholder.", tests: ["constants/module-not-placeholder", "constants/handler"] },
      { text: "An implementation may keep specialised images for known values, with the SPIR-V for others.", tests: ["constants/executable", "constants/executable-spirv"] },
      { text: "Or pass the value as an ordinary parameter.", tests: ["constants/argument"] },
    ],
  },
];
