import { ToolError } from '../../../kernel/error.ts'
import type { Dns } from '../../../ports/index.ts'
import { ask, recordsOf } from '../dns/answers.ts'
import type { Note } from '../meta.ts'
import { bogonRange } from './range.ts'

export type Addresses = { ips: string[]; notes: Note[] }

const most = 50

/** The addresses of a name, IPv4 first. Throws `not_found` when it has none, `upstream` when nobody knows. */
export const addressesOf = async (dns: Dns, name: string, signal: AbortSignal): Promise<Addresses> => {
  const [v4, v6] = await Promise.all([ask(dns, name, 'A', signal), ask(dns, name, 'AAAA', signal)])
  const found = [
    ...(typeof v4 === 'string' ? [] : recordsOf(v4, 'A')),
    ...(typeof v6 === 'string' ? [] : recordsOf(v6, 'AAAA')),
  ].map(({ data }) => String(data))
  const failed = [typeof v4 === 'string' && `A (${v4})`, typeof v6 === 'string' && `AAAA (${v6})`].filter(
    Boolean,
  )
  if (found.length === 0 && failed.length > 0)
    throw new ToolError('upstream', `The DNS does not say where ${name} is: ${failed.join(', ')} failed.`, {
      hint: 'Retry in a moment.',
    })
  if (found.length === 0)
    throw new ToolError('not_found', `The host ${name} has no address in the DNS.`, {
      hint: 'Check the spelling of the host name.',
    })
  const notes = failed.map(type => ({
    code: 'type_failed',
    message: `Further addresses are unknown: ${type} failed.`,
  }))
  return { ips: [...new Set(found)].slice(0, most), notes }
}

/** The address that an answer is about: the first public one, else the first. */
export const chosenOf = (ips: readonly string[]): string | undefined =>
  ips.find(ip => bogonRange(ip) === null) ?? ips[0]
