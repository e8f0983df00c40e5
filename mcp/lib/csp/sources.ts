import type { CspPolicy, Directives } from './parse.ts'

const back: Readonly<Record<string, readonly string[]>> = {
  'script-src-elem': ['script-src', 'default-src'],
  'script-src-attr': ['script-src', 'default-src'],
  'style-src-elem': ['style-src', 'default-src'],
  'style-src-attr': ['style-src', 'default-src'],
  'worker-src': ['child-src', 'script-src', 'default-src'],
  'frame-src': ['child-src', 'default-src'],
}

/** Directives that fall back to none. */
const alone = new Set(['base-uri', 'form-action', 'frame-ancestors', 'sandbox', 'default-src'])

/** The list that decides for a directive, by the fallbacks of CSP3 §6.8.3; null where the policy sets no limit. */
export const effective = (directives: Directives, name: string): readonly string[] | null => {
  const names = [name, ...(alone.has(name) ? [] : (back[name] ?? ['default-src']))]
  for (const one of names) if (Object.hasOwn(directives, one)) return directives[one] ?? []
  return null
}

const nonce = /^'nonce-[a-z0-9+/_-]+={0,2}'$/i
const hash = /^'sha(?:256|384|512)-[a-z0-9+/_-]+={0,2}'$/i

export const isNonce = (source: string): boolean => nonce.test(source)
export const isHash = (source: string): boolean => hash.test(source)

export const has = (list: readonly string[], keyword: string): boolean =>
  list.some(source => source.toLowerCase() === keyword)

const hasNonceOrHash = (list: readonly string[]): boolean =>
  list.some(source => isNonce(source) || isHash(source))

/** Inline code runs: `'unsafe-inline'` counts for nothing beside a nonce, a hash or `'strict-dynamic'` (CSP3 §6.7.3.2). */
export const allowsInlineScript = (list: readonly string[] | null): boolean =>
  list === null || (has(list, "'unsafe-inline'") && !hasNonceOrHash(list) && !has(list, "'strict-dynamic'"))

export const allowsInlineStyle = (list: readonly string[] | null): boolean =>
  list === null || (has(list, "'unsafe-inline'") && !hasNonceOrHash(list))

export const allowsEval = (list: readonly string[] | null): boolean =>
  list === null || has(list, "'unsafe-eval'")

const broad = /^(?:\*|https?:|https?:\/\/\*(?::\*|:\d+)?\/?|data:|blob:|filesystem:|ftp:|\*:\d+|\*:\*)$/i

/** Sources through which anybody can bring code of their own. `'strict-dynamic'` makes browsers ignore them. */
export const broadSources = (list: readonly string[]): string[] =>
  has(list, "'strict-dynamic'") ? [] : list.filter(source => broad.test(source))

const insecure = /^(?:http:|ftp:|ws:)(?:$|\/\/)/i

export const insecureSources = (list: readonly string[]): string[] =>
  has(list, "'strict-dynamic'") ? [] : list.filter(source => insecure.test(source))

/** True when every policy lets it through: a page obeys all of its policies at once. */
export const allLet = (policies: readonly CspPolicy[], lets: (directives: Directives) => boolean): boolean =>
  policies.length > 0 && policies.every(({ directives }) => lets(directives))
