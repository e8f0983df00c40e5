/** A worker runs compiled code: the module under `dist/` that stands for a TypeScript source, else the module itself. */
export const toCompiledPath = (module: string): string => {
  if (!module.endsWith('.ts')) return module
  const root = new URL('../../..', import.meta.url).href
  return `${root}dist/${module.slice(root.length).replace(/\.ts$/, '.js')}`
}
