// Which files of this project a file needs: what it imports or names beside itself, and what those import. Node built-ins only.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const specifier = /(?:\bfrom|\bimport|\bnew URL)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g

const isSource = name => /\.(ts|mts|json)$/.test(name) && !/^(node_modules|dist)$/.test(name)

/** The source files of a file or folder. A pattern like `mcp/**\/*.d.ts` stands for the folder it begins with. */
export const filesIn = path => {
  const root = path.replace(/\/?\*.*$/, '') || '.'
  const stat = statSync(root, { throwIfNoEntry: false })
  if (!stat) return []
  if (!stat.isDirectory()) return [root]
  return readdirSync(root, { withFileTypes: true }).flatMap(entry => {
    if (entry.name === 'node_modules' || entry.name === 'dist') return []
    if (entry.isDirectory()) return filesIn(join(root, entry.name))
    return isSource(entry.name) ? [join(root, entry.name)] : []
  })
}

const read = path => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** These files and all they reach by relative imports, each with its text, by path. */
export const reach = paths => {
  const texts = new Map()
  const queue = [...paths]
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (texts.has(path)) continue
    const text = read(path)
    texts.set(path, text)
    for (const [, to] of text.matchAll(specifier)) queue.push(join(dirname(path), to))
  }
  return texts
}
