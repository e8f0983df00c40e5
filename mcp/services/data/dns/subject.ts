import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { parseDomain } from '../domain.ts'
import { parseHost, toTarget as toHostTarget } from '../location/host.ts'
import { bogonRange } from '../location/range.ts'
import { isIpv4, toReverseName } from '../location/reverse.ts'
import { defaultTypes, type RecordType, recordTypes } from './answers.ts'

/** Subject of a look-up: a domain, or an address by its name in the reverse tree. */
export type Subject = { ascii: string; unicode: string; address: string | null }

const reverseTree = /\.(?:in-addr|ip6)\.arpa$/

/** The address of a name in the reverse tree; of a zone there, such as `10.in-addr.arpa`, its first one. */
const readReverse = (name: string): { address: string; isWhole: boolean } | undefined => {
  const [, labels = '', tree] = /^(.+)\.(in-addr|ip6)\.arpa$/.exec(name) ?? []
  const parts = labels.split('.').reverse()
  const size = tree === 'ip6' ? 32 : 4
  if (tree === undefined || parts.length > size) return undefined
  const padded = [...parts, ...Array<string>(size - parts.length).fill('0')]
  const address = tree === 'ip6' ? (padded.join('').match(/.{4}/g) ?? []).join(':') : padded.join('.')
  return isIP(address)
    ? { address: ipaddr.parse(address).toString(), isWhole: parts.length === size }
    : undefined
}

/** Reads a domain name, a URL or an IP address. Undefined when it is none of them. */
export const parseSubject = (input: string): Subject | undefined => {
  const domain = parseDomain(input)
  if (domain) {
    const reverse = readReverse(domain.ascii)
    return { ...domain, address: reverse?.isWhole ? reverse.address : null }
  }
  const address = parseHost(input)?.ip
  if (address === undefined) return undefined
  const name = `${toReverseName(address)}.${isIpv4(address) ? 'in-addr' : 'ip6'}.arpa`
  return { ascii: name, unicode: name, address }
}

/** A resolver of the operator's own may know the names of its private network, which are nobody's business. */
const isPublic = (input: string): boolean => {
  const subject = parseSubject(input)
  const address = subject?.address ?? readReverse(subject?.ascii ?? '')?.address
  return !address || bogonRange(address) === null
}

/** The name or address that limits count by. */
export const toTarget = (input: string): string => parseDomain(input)?.ascii ?? toHostTarget(input)

export const SubjectInput = z
  .string()
  .max(2048)
  .refine(
    text => parseSubject(text) !== undefined,
    'must be a domain name such as example.com, an IP address such as 192.0.2.1, or a URL',
  )
  .refine(isPublic, 'must be a public address: the public DNS has no names of private and reserved ones')
  .describe('Domain name such as example.com, of a URL its host, or an IP address, whose names are looked up')

const namesIn = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .filter(name => name !== '')
    .map(name => name.toUpperCase())

const isRecordType = (name: string): name is RecordType => (recordTypes as readonly string[]).includes(name)

/** The types to ask for, each once. Without a wish: PTR in the reverse tree, the usual ones elsewhere. */
export const parseRecordTypes = (text: string | undefined, name: string): readonly RecordType[] => {
  if (text !== undefined) return [...new Set(namesIn(text).filter(isRecordType))]
  return reverseTree.test(name) ? ['PTR'] : defaultTypes
}

export const TypesInput = z
  .preprocess(
    given => (Array.isArray(given) ? given.join(',') : given) || undefined,
    z
      .string()
      .max(200)
      .refine(
        text => namesIn(text).length > 0 && namesIn(text).every(isRecordType),
        `must be record types, as MX,TXT, of ${recordTypes.join(', ')}`,
      )
      .optional(),
  )
  .describe(
    `Only these record types, as MX,TXT: of ${recordTypes.join(', ')}. Default: A to SOA; PTR for an address`,
  )
