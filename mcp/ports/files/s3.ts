import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolError } from '../../kernel/error.ts'
import type { Clock } from '../clock/port.ts'
import type { Fetch, FetchOptions } from '../fetch/port.ts'
import type { FileStorage, StoredFile } from './port.ts'
import { receive } from './receive.ts'
import { presignUrl, type SigningAccount, signHeaders } from './sigv4.ts'

const partBytes = 8 * 1024 * 1024
const hashForm = /^[0-9a-f]{64}$/

export type Bucket = SigningAccount & { url: string }

type Ask = Pick<FetchOptions, 'headers' | 'body'> & { query?: string }

const noFile = () => new ToolError('not_found', 'There is no such file.')

const readXml = (text: string, tag: string): string | undefined =>
  new RegExp(`<${tag}>([^<]{1,2000})</${tag}>`).exec(text)?.[1]

const refuse = (status: number, text: string) =>
  new ToolError('upstream', `The store of files answers ${status} (${readXml(text, 'Code') ?? 'no code'}).`, {
    retryable: status >= 500 || status === 429,
  })

const toEtagXml = (etags: readonly string[]): string =>
  `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${etags
    .map((etag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${etag}</ETag></Part>`)
    .join('')}</CompleteMultipartUpload>`

const readPart = async (path: string, start: number, length: number): Promise<Buffer> => {
  const handle = await open(path, 'r')
  try {
    const bytes = Buffer.alloc(length)
    const { bytesRead } = await handle.read(bytes, 0, length, start)
    if (bytesRead !== length) throw new Error('a draft is shorter than it was')
    return bytes
  } finally {
    await handle.close()
  }
}

/**
 * Files in a bucket that speaks S3, as `sha256/<hash>`. What streams in lies in a temporary folder until its hash is known; a file over
 * 8 MiB goes in parts, and is there once all of them are.
 */
export const openS3 = (
  { url, ...account }: Bucket,
  {
    fetch,
    clock,
    drafts = join(tmpdir(), 'octagent-files'),
  }: { fetch: Fetch; clock: Clock; drafts?: string },
): FileStorage => {
  const pathTo = (sha256: string): string => {
    if (!hashForm.test(sha256)) throw noFile()
    return `sha256/${sha256}`
  }
  const pathToUpload = (key: string): string => `uploads/${encodeURIComponent(key)}`

  const ask = async (
    method: NonNullable<FetchOptions['method']>,
    path: string,
    { query = '', headers = {}, body }: Ask = {},
  ) => {
    const address = `${url}/${path}${query}`
    const signed = signHeaders(account, {
      method,
      url: address,
      headers,
      now: clock.now(),
      ...(body !== undefined && { body }),
    })
    return fetch(address, {
      method,
      headers: signed,
      ...(body !== undefined && { body }),
      maxRedirects: 0,
      maxBytes: partBytes,
      fresh: true,
      namedBy: 'operator',
    })
  }

  const askWell = async (...request: Parameters<typeof ask>) => {
    const answer = await ask(...request)
    if (answer.status === 404) throw noFile()
    if (answer.status >= 300) throw refuse(answer.status, answer.body.toString('latin1'))
    return answer
  }

  /** How many bytes lie under a path; undefined where nothing does. */
  const measure = async (path: string): Promise<number | undefined> => {
    const { status, headers, body } = await ask('HEAD', path)
    if (status === 404) return undefined
    if (status !== 200) throw refuse(status, body.toString('latin1'))
    return Number(headers['content-length'])
  }

  const stat = async (sha256: string): Promise<StoredFile | undefined> => {
    const bytes = hashForm.test(sha256) ? await measure(pathTo(sha256)) : undefined
    return bytes === undefined ? undefined : { sha256, bytes }
  }

  async function* readRange(path: string, start: number, end: number): AsyncGenerator<Buffer> {
    for (let from = start; from <= end; from += partBytes) {
      const to = Math.min(from + partBytes - 1, end)
      const { body } = await askWell('GET', path, { headers: { range: `bytes=${from}-${to}` } })
      if (body.length !== to - from + 1)
        throw new ToolError('upstream', 'The store of files gave another number of bytes.', {
          retryable: true,
        })
      yield body
    }
  }

  const drop = async (path: string): Promise<void> => {
    const { status, body } = await ask('DELETE', path)
    if (status >= 300 && status !== 404) throw refuse(status, body.toString('latin1'))
  }

  const sendParts = async (draft: string, { sha256, bytes }: StoredFile): Promise<void> => {
    const path = pathTo(sha256)
    const begun = await askWell('POST', path, { query: '?uploads=' })
    const id = readXml(begun.body.toString('utf8'), 'UploadId')
    if (id === undefined) throw refuse(begun.status, 'no upload')
    const upload = `uploadId=${encodeURIComponent(id)}`
    try {
      const etags: string[] = []
      for (let start = 0; start < bytes; start += partBytes) {
        const body = await readPart(draft, start, Math.min(partBytes, bytes - start))
        const query = `?partNumber=${etags.length + 1}&${upload}`
        const { headers } = await askWell('PUT', path, { query, body })
        etags.push(headers.etag ?? '')
      }
      const ended = await askWell('POST', path, { query: `?${upload}`, body: toEtagXml(etags) })
      const text = ended.body.toString('utf8')
      // S3 may find out after it has said 200.
      if (text.includes('<Error>')) throw refuse(ended.status, text)
    } catch (error) {
      await ask('DELETE', path, { query: `?${upload}` }).catch(() => undefined)
      throw error
    }
  }

  const keep = async (draft: string, file: StoredFile): Promise<StoredFile> => {
    if (await stat(file.sha256)) return file
    if (file.bytes > partBytes) await sendParts(draft, file)
    else await askWell('PUT', pathTo(file.sha256), { body: await readPart(draft, 0, file.bytes) })
    return file
  }

  const put: FileStorage['put'] = (chunks, receiving) => receive(drafts, chunks, receiving, keep)

  return {
    put,
    stat,

    async *read(sha256, range) {
      const file = await stat(sha256)
      if (!file) throw noFile()
      const { start, end } = range ?? { start: 0, end: file.bytes - 1 }
      yield* readRange(pathTo(sha256), start, end)
    },

    remove: async sha256 => drop(pathTo(sha256)),

    direct: {
      upload(key, { sha256, bytes, type }, seconds) {
        // The store itself refuses other bytes, more of them, or another type.
        const headers = {
          'content-type': type,
          'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
        }
        const covered = { ...headers, 'content-length': String(bytes) }
        const address = `${url}/${pathToUpload(key)}`
        const signing = { method: 'PUT', url: address, headers: covered, now: clock.now(), seconds }
        return { url: presignUrl(account, signing), headers }
      },
      async collect(key, receiving) {
        const path = pathToUpload(key)
        const bytes = await measure(path)
        if (bytes === undefined) return undefined
        const file = await put(readRange(path, 0, bytes - 1), receiving)
        await drop(path)
        return file
      },
      discard: key => drop(pathToUpload(key)),
      download({ sha256, type, name }, seconds) {
        const query = new URLSearchParams({
          'response-content-disposition': `attachment; filename="${name}"`,
          'response-content-type': type,
        })
        const signing = {
          method: 'GET',
          url: `${url}/${pathTo(sha256)}?${query}`,
          now: clock.now(),
          seconds,
        }
        return { url: presignUrl(account, signing), headers: {} }
      },
    },
  }
}
