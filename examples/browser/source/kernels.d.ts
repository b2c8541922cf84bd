// SPDX-License-Identifier: Apache-2.0
declare module "*.cl?raw" {
  const text: string;
  export default text;
}
