import { type Hex, isHex } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'

type CcipRequest = { sender: Hex; data: Hex; urls: readonly string[] }

const maxGateways = 3

/** A gateway answers `{"data": "0x…"}`, or the bare hex where it sends no JSON. */
const parseData = (text: string): Hex | undefined => {
  if (isHex(text)) return text
  try {
    const { data } = JSON.parse(text) as { data?: unknown }
    return isHex(data) ? data : undefined
  } catch {
    return undefined
  }
}

/**
 * Fetches what a resolver keeps outside the chain (EIP-3668). The addresses come from a stranger's contract, so it goes by the
 * guarded way out. Throws `upstream` when no gateway answers.
 */
export const askGateways = async (
  fetch: Fetch,
  { sender, data, urls }: CcipRequest,
  signal: AbortSignal,
): Promise<Hex> => {
  for (const template of urls.slice(0, maxGateways)) {
    const url = template.replaceAll('{sender}', sender.toLowerCase()).replaceAll('{data}', data)
    const how = template.includes('{data}')
      ? {}
      : {
          method: 'POST' as const,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ data, sender }),
        }
    const response = await fetch(url, {
      ...how,
      deadlineMs: 5_000,
      maxBytes: 262_144,
      namedBy: 'page',
      signal,
    }).catch(() => undefined)
    const bytes = response?.status === 200 && !response.truncated && parseData(response.text().text.trim())
    if (bytes) return bytes
  }
  throw new ToolError('upstream', 'The gateway that this ENS name is kept behind does not answer.', {
    hint: 'Repeat the call in a few seconds, or give the address itself.',
  })
}
