import { createHash, randomUUID } from 'node:crypto'
import type { Hex } from 'viem'

type Signer = { address: string; signMessage(message: { message: string }): Promise<Hex> }

type Options = {
  method?: string
  body?: string
  contentType?: string
  chainId?: number
  created?: number
  seconds?: number
  nonce?: string
}

/** The headers of a signed request as the draft of August 2026 has them: the other side of the service's verifier. */
export const signRequest = async (signer: Signer, address: string, options: Options = {}) => {
  const { method = 'GET', body, contentType, chainId = 8453, seconds = 60 } = options
  const created = options.created ?? Math.floor(Date.now() / 1000)
  const url = new URL(address)
  const headers: Record<string, string> = {}
  if (body !== undefined)
    headers['content-digest'] = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
  if (contentType !== undefined) headers['content-type'] = contentType
  const lines: [name: string, value: string][] = [
    ['@scheme', url.protocol.slice(0, -1)],
    ['@authority', url.host],
    ['@method', method],
    ['@path', url.pathname],
    ['@query', url.search || '?'],
    ...Object.entries(headers),
  ]
  const nonce = options.nonce ?? randomUUID()
  const covered = lines.map(([name]) => `"${name}"`).join(' ')
  const input = `(${covered});created=${created};expires=${created + seconds};nonce="${nonce}";keyid="eip155:${chainId}:${signer.address.toLowerCase()}";tag="erc8128"`
  const base = [...lines.map(([name, value]) => `"${name}": ${value}`), `"@signature-params": ${input}`]
  const signature = await signer.signMessage({ message: base.join('\n') })
  return {
    ...headers,
    'signature-input': `request=${input}`,
    signature: `request=:${Buffer.from(signature.slice(2), 'hex').toString('base64')}:`,
  }
}
