import { ToolError } from '../../../kernel/error.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import { ask, recordsOfType } from '../dns/answers.ts'
import type { Note } from '../meta.ts'
import { bogonRange } from './range.ts'

export type HostAddresses = { ips: string[]; notes: Note[] }

const maxAddresses = 50

/** The addresses of a name, IPv4 first. Throws `not_found` when it has none, `upstream` when nobody knows. */
export const resolveAddresses = async (
  dns: Dns,
  name: string,
  signal: AbortSignal,
): Promise<HostAddresses> => {
  const [v4, v6] = await Promise.all([ask(dns, name, 'A', signal), ask(dns, name, 'AAAA', signal)])
  const addresses = [
    ...(typeof v4 === 'string' ? [] : recordsOfType(v4, 'A')),
    ...(typeof v6 === 'string' ? [] : recordsOfType(v6, 'AAAA')),
  ].map(({ data }) => String(data))
  const failedTypes = [
    typeof v4 === 'string' && `A (${v4})`,
    typeof v6 === 'string' && `AAAA (${v6})`,
  ].filter(Boolean)
  if (addresses.length === 0 && failedTypes.length > 0)
    throw new ToolError(
      'upstream',
      `The DNS does not say where ${name} is: ${failedTypes.join(', ')} failed.`,
      {
        hint: 'Retry in a moment.',
      },
    )
  if (addresses.length === 0)
    throw new ToolError('not_found', `The host ${name} has no address in the DNS.`, {
      hint: 'Check the spelling of the host name.',
    })
  const notes = failedTypes.map(type => ({
    code: 'type_failed',
    message: `Further addresses are unknown: ${type} failed.`,
  }))
  return { ips: [...new Set(addresses)].slice(0, maxAddresses), notes }
}

/** The address that an answer is about: the first public one, else the first. */
export const chooseAddress = (ips: readonly string[]): string | undefined =>
  ips.find(ip => bogonRange(ip) === null) ?? ips[0]
