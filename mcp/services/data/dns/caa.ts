import type { Dns, DnsAnswer, DnsRecord } from '../../../ports/index.ts'
import { ask, recordsOfType } from './answers.ts'

export type Caa = { records: DnsRecord[]; inheritedFrom: string | null; error?: string }

/** Parents that are asked; a name with more labels is not met outside of tests. */
const maxParents = 16

/**
 * The CAA records that hold for a name: its own, or those of the nearest parent that has any (RFC 8659 section 3). An
 * `error` tells that a parent did not answer, so that nobody knows.
 */
export const findCaa = async (
  dns: Dns,
  name: string,
  own: DnsAnswer | undefined,
  signal: AbortSignal,
): Promise<Caa> => {
  const records = recordsOfType(own, 'CAA')
  if (!own || records.length > 0) return { records, inheritedFrom: null }
  const labels = name.split('.')
  for (let up = 1; up < labels.length && up <= maxParents; up++) {
    const parent = labels.slice(up).join('.')
    const answer = await ask(dns, parent, 'CAA', signal)
    if (typeof answer === 'string') return { records: [], inheritedFrom: null, error: answer }
    const parentRecords = recordsOfType(answer, 'CAA')
    if (parentRecords.length > 0) return { records: parentRecords, inheritedFrom: parent }
  }
  return { records: [], inheritedFrom: null }
}
