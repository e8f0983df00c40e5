import { isIP } from 'node:net'
import { type Problem, problem } from './problem.ts'
import { allowsInlineScript, broadSources, has, isHash, isNonce } from './sources.ts'
import { vocabulary } from './vocabulary.ts'

const parseHost = (source: string): string =>
  source
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[:/].*$/, '')

/** A host that serves anybody's scripts, by itself or under a wildcard. */
export const isOpenHost = (source: string): boolean => {
  const host = parseHost(source).replace(/^\*\./, '')
  return vocabulary().open_hosts.some(
    open => open === host || (source.includes('*.') && open.endsWith(`.${host}`)),
  )
}

/** Lists what a list of script sources lets through. */
export const aboutScripts = (list: readonly string[]): Problem[] => {
  const nonced = list.some(source => isNonce(source) || isHash(source))
  const strict = has(list, "'strict-dynamic'")
  const inline = allowsInlineScript(list) ? 'unsafe_inline' : 'inline_ignored'
  const open = strict ? [] : list.filter(isOpenHost)
  return [
    ...(has(list, "'unsafe-inline'") ? [problem(inline)] : []),
    ...(has(list, "'unsafe-eval'") ? [problem('unsafe_eval')] : []),
    ...(has(list, "'unsafe-hashes'") ? [problem('unsafe_hashes')] : []),
    ...broadSources(list).map(source => problem('broad_source', null, { source })),
    ...(strict && !nonced ? [problem('strict_dynamic_alone')] : []),
    ...(open.length > 0 ? [problem('open_host', null, { hosts: open.slice(0, 5).join(', ') })] : []),
    ...(list.some(source => isIP(parseHost(source))) ? [problem('ip_source')] : []),
  ]
}
