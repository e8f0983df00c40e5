import { z } from 'zod'
import type { Family, Release } from './family.ts'

/** A requester's facts about itself; without them compatibility is unknown. */
export const Requester = z
  .object({
    supported_protocols: z
      .array(z.string().max(20))
      .max(8)
      .optional()
      .describe('Protocols it speaks: a2a, mcp'),
    supported_protocol_versions: z
      .record(z.string().max(20), z.union([z.string().max(40), z.array(z.string().max(40)).max(16)]))
      .optional()
      .describe('Versions by protocol, such as {"a2a": "1.0"}'),
  })
  .describe('What you speak, to be told whether it fits')

type Compatibility = {
  decision: 'compatible' | 'partially_compatible' | 'incompatible' | 'unknown'
  reasons: string[]
}

/** Versions of A2A count by major and minor, those of MCP as a whole. */
const comparable = (subject: Family['subject'], version: string): string =>
  subject === 'a2a' ? version.replace(/^v/, '').split('.').slice(0, 2).join('.') : version

/** True when what a requester speaks fits the newest release. */
export const checkCompatibility = (
  { subject, compatible }: Family,
  { version }: Release,
  requester: z.output<typeof Requester> | undefined,
): Compatibility => {
  if (!requester) return { decision: 'unknown', reasons: ['The request does not say what it speaks.'] }
  const { supported_protocols: protocols, supported_protocol_versions: versions = {} } = requester
  if (protocols && !protocols.map(name => name.toLowerCase()).includes(subject))
    return { decision: 'incompatible', reasons: [`It does not speak ${subject}.`] }
  const supportedVersions = [versions[subject] ?? []].flat().map(one => comparable(subject, one))
  if (supportedVersions.length === 0)
    return { decision: 'unknown', reasons: [`It does not say which version of ${subject} it speaks.`] }
  if (supportedVersions.includes(comparable(subject, version)))
    return { decision: 'compatible', reasons: [`It speaks ${version}, the current one.`] }
  const older = supportedVersions.find(one => compatible.includes(one))
  return older === undefined
    ? {
        decision: 'incompatible',
        reasons: [`None of ${supportedVersions.join(', ')} is known to work with ${version}.`],
      }
    : { decision: 'partially_compatible', reasons: [`It speaks ${older}; the current one is ${version}.`] }
}
