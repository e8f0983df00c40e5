import { ToolError } from '../mcp/kernel/error.ts'

const param = /:(\w+)/g

type Open<T> = { shape: string; pattern: RegExp; next: Node<T> }

/** A tree of path segments: literal ones by name, those with params by pattern. */
export type Node<T> = { literal: Map<string, Node<T>>; open: Open<T>[]; leaf?: T }

export const emptyNode = <T>(): Node<T> => ({ literal: new Map(), open: [] })

/** The names of a path's params, in order. */
export const readParamNames = (path: string): string[] =>
  Array.from(path.matchAll(param), match => match[1] ?? '')

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** `:asset-:window` captures two values. */
const toPattern = (segment: string): RegExp => {
  const source = segment.split(param).map((part, at) => (at % 2 === 0 ? escapePattern(part) : '(.+?)'))
  return new RegExp(`^${source.join('')}$`, 's')
}

const literals = (shape: string) => shape.replaceAll(':', '').length

const step = <T>(node: Node<T>, segment: string): Node<T> => {
  const shape = segment.replace(param, ':')
  const existingNode =
    shape === segment ? node.literal.get(segment) : node.open.find(open => open.shape === shape)?.next
  if (existingNode) return existingNode
  const next = emptyNode<T>()
  if (shape === segment) node.literal.set(segment, next)
  else node.open.push({ shape, pattern: toPattern(segment), next })
  node.open.sort((one, other) => literals(other.shape) - literals(one.shape))
  return next
}

/** The node of a path, made where it is missing. Two paths that differ in the names of params only share a node. */
export const nodeFor = <T>(root: Node<T>, path: string): Node<T> =>
  path.split('/').slice(1).reduce(step, root)

export type Match<T> = { leaf: T; values: readonly string[] }

/** Every leaf a path leads to, the most literal first. */
export const matches = <T>(root: Node<T>, segments: readonly string[]): Match<T>[] => {
  const results: Match<T>[] = []
  const walk = (node: Node<T>, at: number, values: readonly string[]): void => {
    const segment = segments[at]
    if (segment === undefined) {
      if (node.leaf) results.push({ leaf: node.leaf, values })
      return
    }
    const literal = node.literal.get(segment)
    if (literal) walk(literal, at + 1, values)
    for (const { pattern, next } of node.open) {
      const match = pattern.exec(segment)
      if (match) walk(next, at + 1, [...values, ...match.slice(1)])
    }
  }
  walk(root, 0, [])
  return results
}

/** The decoded segments of a path. Throws `malformed` when the percent-encoding is broken. */
export const splitPath = (path: string): string[] => {
  try {
    return path
      .split('/')
      .slice(1)
      .map(segment => (segment.includes('%') ? decodeURIComponent(segment) : segment))
  } catch {
    throw new ToolError('malformed', 'The percent-encoding of the path is broken.', {
      hint: 'Encode a literal % as %25.',
    })
  }
}
