/** Modules that the build makes: each exports the code of a worker as text. */

declare module "rondo:maths" {
  const code: string;
  export default code;
}
declare module "rondo:diagrams" {
  const code: string;
  export default code;
}
