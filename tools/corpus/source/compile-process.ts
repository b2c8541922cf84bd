// SPDX-License-Identifier: Apache-2.0
// The process that compiles, for `Service`: its word is the root of the checkout whose compiler it loads.
import { type CompileReply, type CompileRequest, loadCompiler } from "./compile.ts";
import { serve } from "./service.ts";

const [root = ""] = process.argv.slice(2);
const compiler = loadCompiler(root);
serve(async (request): Promise<CompileReply> => (await compiler)(request as CompileRequest));
