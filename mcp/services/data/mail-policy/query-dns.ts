import { ToolError } from '../../../kernel/error.ts'
import type { Dns, DnsAnswer, DnsType } from '../../../ports/dns/port.ts'
import { ask } from '../dns/answers.ts'

/**
 * The answer, or the code of what went wrong: `SERVFAIL`, `TIMEOUT`, … A name that nobody can ask for, which records of
 * strangers may hold, does not exist.
 */
export const askName = async (
  dns: Dns,
  name: string,
  type: DnsType,
  signal: AbortSignal,
): Promise<Pick<DnsAnswer, 'rcode' | 'records'> | string> => {
  try {
    return await ask(dns, name, type, signal)
  } catch (error) {
    if (error instanceof ToolError && error.code === 'invalid_input')
      return { rcode: 'NXDOMAIN', records: [] }
    throw error
  }
}

/** TXT records of a name, chunks joined. `alias` is where a CNAME led; `failed` the code when the DNS did not tell. */
export type TxtRecords = { texts: string[]; exists: boolean; alias: string | null; failed?: string }

export const askTexts = async (dns: Dns, name: string, signal: AbortSignal): Promise<TxtRecords> => {
  const answer = await askName(dns, name, 'TXT', signal)
  if (typeof answer === 'string') return { texts: [], exists: false, alias: null, failed: answer }
  const aliases = answer.records.filter(({ type }) => type === 'CNAME')
  return {
    texts: answer.records.filter(({ type }) => type === 'TXT').map(({ data }) => String(data)),
    exists: answer.rcode === 'NOERROR',
    alias: aliases.length > 0 ? String(aliases.at(-1)?.data) : null,
  }
}
