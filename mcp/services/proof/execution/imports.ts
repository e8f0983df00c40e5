/** Strings with their prefixes, and comments; an unclosed one reaches to the end. */
const texts =
  /#[^\n]*|[rbfuRBFU]{0,2}(?:"""(?:[^\\]|\\.)*?(?:"""|$)|'''(?:[^\\]|\\.)*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)/gs

const statement = /(?:^|[;:\n])[ \t]*(?:import[ \t]+([^\n;#]+)|from[ \t]*([.\w]+)[ \t]*import\b)/g

/** Modules that Python code imports by statement, at its top level or deeper, in the order in which they stand there. */
export const readImports = (code: string): string[] => {
  const bare = code.replace(/\r\n?/g, '\n').replace(texts, ' ').replace(/\\\n/g, ' ')
  const names = [...bare.matchAll(statement)].flatMap(
    ([, list, from = '']) => list?.split(',').map(part => part.trim().split(/\s/)[0] ?? '') ?? [from],
  )
  return [...new Set(names.filter(name => name !== ''))]
}
