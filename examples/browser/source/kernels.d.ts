declare module "*.cl?raw" {
  const text: string;
  export default text;
}
