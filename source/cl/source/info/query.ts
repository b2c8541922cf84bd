// SPDX-License-Identifier: Apache-2.0
// How all info queries work: a table from token to getter; the token's name types the answer.
import { OpenCLError } from "../error.ts";

/** One getter for each token of `Info`. */
export type InfoTable<Subject, Info> = { readonly [Token in keyof Info]: (subject: Subject) => Info[Token] };

/** The answer for a token; CL_INVALID_VALUE for one that the table lacks. */
export function query<Subject, Info, Token extends keyof Info & string>(
  call: string,
  table: InfoTable<Subject, Info>,
  subject: Subject,
  token: Token,
): Info[Token] {
  const known: Partial<InfoTable<Subject, Info>> = table;
  const get = Object.hasOwn(table, token) ? known[token] : undefined;
  if (get === undefined)
    throw new OpenCLError(
      "CL_INVALID_VALUE",
      call,
      `${token} is not a token of this query; the tokens are ${Object.keys(table).join(", ")}`,
    );
  return get(subject);
}
