import type { Note } from '../../note.ts'
import { inNetwork, parseIp } from './ip.ts'
import { isSpf } from './parse.ts'
import { reachable, type SpfPolicy } from './policy.ts'

/** Modifiers with a meaning elsewhere: RFC 6652 reports. */
const macroModifier = /^(?:ra|rp|rr)=/i
const equalsForColonPattern = /^(?:all|include|a|mx|ptr|ip4|ip6|exists)=/i

const looks = /^[\s"'“”]*v\s*=\s*spf(?:1(?!\d)|[\s;]|$)/i

/** TXT records that were meant to be SPF records and are not read as such. */
export const nearMisses = (texts: readonly string[]): Note[] =>
  texts
    .filter(text => !isSpf(text) && looks.test(text.slice(0, 200)))
    .slice(0, 5)
    .map(text => ({
      code: 'not_read_as_spf',
      message: `"${text.slice(0, 60)}" looks like an SPF record and is ignored: a record starts with exactly "v=spf1" and a space.`,
    }))

const unroutable = ['10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'].map(
  text => {
    const [address = '', bits] = text.split('/')
    return { network: parseIp(address), bits: Number(bits) }
  },
)

const isPrivate = ({ mechanism }: SpfPolicy['directives'][number]): boolean =>
  mechanism.name === 'ip4' &&
  unroutable.some(
    ({ network, bits }) => network && mechanism.bits >= bits && inNetwork(mechanism.network, network, bits),
  )

const repeatedIn = (policy: SpfPolicy): string[] => {
  const texts = policy.directives.map(({ text }) => text.toLowerCase())
  const earlier = new Set<string>()
  return [...new Set(texts.filter(text => earlier.has(text) || !earlier.add(text)))]
}

const joinShort = (texts: readonly string[]): string => texts.slice(0, 5).join(' ').slice(0, 300)

const endings = (policy: SpfPolicy, all: string | null): Note[] => {
  const after = policy.directives.slice(reachable(policy).length)
  const hasAll = policy.directives.some(({ mechanism }) => mechanism.name === 'all')
  return [
    ...(all === null && !policy.redirect
      ? [{ code: 'no_all', message: 'The record does not end with "all": everybody else is neutral.' }]
      : []),
    ...(all === '?' ? [{ code: 'neutral_all', message: '"?all" says nothing about everybody else.' }] : []),
    ...(after.length > 0
      ? [
          {
            code: 'after_all',
            message: `Nothing after "all" is looked at: ${joinShort(after.map(({ text }) => text))}`,
          },
        ]
      : []),
    ...(hasAll && policy.redirect
      ? [{ code: 'redirect_ignored', message: 'The redirect is ignored beside "all".' }]
      : []),
  ]
}

/** Lists readable terms that no record should have. */
export const lint = (policy: SpfPolicy, record: string, all: string | null): Note[] => {
  const odd = policy.others.filter(text => !macroModifier.test(text))
  const wrong = odd.filter(text => equalsForColonPattern.test(text))
  const repeated = repeatedIn(policy)
  const inside = policy.directives.filter(isPrivate).map(({ text }) => text)
  return [
    ...endings(policy, all),
    ...(wrong.length > 0
      ? [
          {
            code: 'mistaken_modifier',
            message: `With "=" instead of ":" these do nothing: ${joinShort(wrong)}`,
          },
        ]
      : []),
    ...(odd.length > wrong.length
      ? [
          {
            code: 'unknown_modifier',
            message: `Unknown modifiers are ignored: ${joinShort(odd.filter(text => !equalsForColonPattern.test(text)))}`,
          },
        ]
      : []),
    ...(repeated.length > 0
      ? [{ code: 'repeated_term', message: `Terms stand twice: ${joinShort(repeated)}` }]
      : []),
    ...(inside.length > 0
      ? [
          {
            code: 'private_network',
            message: `Private addresses are never seen by receivers: ${joinShort(inside)}`,
          },
        ]
      : []),
    ...(record.length > 450
      ? [
          {
            code: 'long_record',
            message: `The record has ${record.length} characters; over 450 it may not fit into one UDP answer.`,
          },
        ]
      : []),
  ]
}
