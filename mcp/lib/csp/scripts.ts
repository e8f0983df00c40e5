import { isIP } from 'node:net'
import { type Problem, problem } from './problem.ts'
import { allowsInlineScript, broadSources, has, isHash, isNonce } from './sources.ts'
import { openHosts } from './vocabulary.ts'

const parseHost = (source: string): string =>
  source
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[:/].*$/, '')

/** A host that serves anybody's scripts, by itself or under a wildcard. */
export const isOpenHost = (source: string): boolean => {
  const host = parseHost(source).replace(/^\*\./, '')
  return openHosts.some(open => open === host || (source.includes('*.') && open.endsWith(`.${host}`)))
}

/** Lists what a list of script sources lets through. */
export const aboutScripts = (list: readonly string[]): Problem[] => {
  const at = 'script-src'
  const problems: Problem[] = []
  const nonced = list.some(source => isNonce(source) || isHash(source))
  const strict = has(list, "'strict-dynamic'")
  if (allowsInlineScript(list))
    problems.push(
      problem(
        'high',
        'unsafe_inline',
        at,
        "'unsafe-inline' lets injected scripts run.",
        "script-src 'nonce-{random}' 'strict-dynamic'",
      ),
    )
  else if (has(list, "'unsafe-inline'"))
    problems.push(
      problem(
        'info',
        'inline_ignored',
        at,
        "'unsafe-inline' is ignored beside a nonce, a hash or 'strict-dynamic'; it serves old browsers.",
      ),
    )
  if (has(list, "'unsafe-eval'"))
    problems.push(
      problem(
        'medium',
        'unsafe_eval',
        at,
        "'unsafe-eval' lets text be run as code.",
        "remove 'unsafe-eval', or use 'wasm-unsafe-eval' for WebAssembly",
      ),
    )
  if (has(list, "'unsafe-hashes'"))
    problems.push(
      problem('low', 'unsafe_hashes', at, "'unsafe-hashes' lets hashed code run as an event handler."),
    )
  for (const source of broadSources(list))
    problems.push(
      problem('high', 'broad_source', at, `${source} lets scripts come from anywhere.`, `remove ${source}`),
    )
  if (strict && !nonced)
    problems.push(
      problem(
        'high',
        'strict_dynamic_alone',
        at,
        "'strict-dynamic' without a nonce or hash blocks all scripts.",
        "add 'nonce-{random}'",
      ),
    )
  const open = strict ? [] : list.filter(isOpenHost)
  if (open.length > 0)
    problems.push(
      problem(
        'medium',
        'open_host',
        at,
        `${open.slice(0, 5).join(', ')} serves scripts of anybody.`,
        'use nonces or hashes instead of the host',
      ),
    )
  if (list.some(source => isIP(parseHost(source))))
    problems.push(
      problem(
        'low',
        'ip_source',
        at,
        'A source is an IP address, which changes hands and has no certificate.',
      ),
    )
  return problems
}
