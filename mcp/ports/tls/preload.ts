import { getDomain } from 'tldts'
import { ToolError } from '../../kernel/error.ts'
import { parseRecord } from '../../lib/json.ts'
import type { Fetch } from '../fetch/port.ts'
import type { PreloadStatus } from './port.ts'

type Options = { fetch: Fetch; url: string; signal?: AbortSignal | undefined }

const readStatus = (body: string): PreloadStatus => {
  const { status } = parseRecord(body) ?? {}
  if (status === 'preloaded' || status === 'pending') return status
  return typeof status === 'string' ? 'not_listed' : null
}

const order: readonly PreloadStatus[] = ['preloaded', 'pending', null, 'not_listed']

/** Asks the keepers of the browsers' preload list about a host or the domain above it; null when they do not answer. */
export const askPreload = async (host: string, { fetch, url, signal }: Options): Promise<PreloadStatus> => {
  const ask = async (name: string): Promise<PreloadStatus> => {
    try {
      const fetched = await fetch(`${url}${encodeURIComponent(name)}`, {
        accept: 'application/json',
        maxBytes: 16_384,
        deadlineMs: 4000,
        namedBy: 'operator',
        ...(signal && { signal }),
      })
      return fetched.status === 200 ? readStatus(fetched.text().text) : null
    } catch (error) {
      if (signal?.aborted || !(error instanceof ToolError)) throw error
      return null
    }
  }
  const answers = await Promise.all([...new Set([host, getDomain(host) ?? host])].map(ask))
  return order.find(status => answers.includes(status)) ?? null
}
