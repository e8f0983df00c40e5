import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The account of the bucket. */
export const account = { keyId: 'AKIATEST', secret: 'secret/of+the/test', region: 'eu-central-1' }

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const mac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()

/** RFC 3986 escaping of one part, written out: another hand than the signer's. */
const percentEncode = (text: string) =>
  [...Buffer.from(text)]
    .map(byte => {
      const character = String.fromCharCode(byte)
      return /[A-Za-z0-9._~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

/** Recomputes the signature of a request from its raw line and headers, as the documentation of AWS says; undefined when it holds. */
const findFault = (req: IncomingMessage, body: Buffer, now: Date): string | undefined => {
  const [rawPath = '', rawQuery = ''] = (req.url ?? '').split('?')
  const pairs = rawQuery
    .split('&')
    .filter(part => part !== '')
    .map(part => part.split('=').map(half => decodeURIComponent(half)) as [string, string?])
  const query = Object.fromEntries(pairs)
  const isPresigned = 'X-Amz-Signature' in query
  const authorization =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      req.headers.authorization ?? '',
    )
  const credential = (isPresigned ? query['X-Amz-Credential'] : authorization?.[1]) ?? ''
  const signedNames = isPresigned ? query['X-Amz-SignedHeaders'] : authorization?.[2]
  const names: string[] = (signedNames ?? '').split(';')
  const signature = isPresigned ? query['X-Amz-Signature'] : authorization?.[3]
  const at = String(isPresigned ? query['X-Amz-Date'] : req.headers['x-amz-date'])
  const [keyId, day = '', region = '', service, end] = credential.split('/')
  if (keyId !== account.keyId || service !== 's3' || end !== 'aws4_request') return 'InvalidAccessKeyId'
  if (region !== account.region || !at.startsWith(day)) return 'AuthorizationHeaderMalformed'
  const time = Date.parse(at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  const seconds = isPresigned ? Number(query['X-Amz-Expires']) : 900
  if (now.getTime() > time + seconds * 1000 || now.getTime() < time - 900_000) return 'AccessDenied'
  if (!names.includes('host')) return 'AccessDenied'
  const payload = isPresigned ? 'UNSIGNED-PAYLOAD' : String(req.headers['x-amz-content-sha256'])
  if (!isPresigned && payload !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  const canonical = [
    req.method,
    rawPath
      .split('/')
      .map(part => percentEncode(decodeURIComponent(part)))
      .join('/'),
    pairs
      .filter(([name]) => name !== 'X-Amz-Signature')
      .map(([name, value = '']) => `${percentEncode(name)}=${percentEncode(value)}`)
      .sort()
      .join('&'),
    ...names.map(name => `${name}:${String(req.headers[name] ?? '').trim()}`),
    '',
    names.join(';'),
    payload,
  ].join('\n')
  const text = `AWS4-HMAC-SHA256\n${at}\n${day}/${region}/s3/aws4_request\n${sha256(canonical)}`
  const key = mac(mac(mac(mac(`AWS4${account.secret}`, day), region), 's3'), 'aws4_request')
  return mac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}

/** A bucket on loopback that speaks the wire of S3 and believes nothing that is not signed. */
export const startS3 = async () => {
  const objects = new Map<string, { bytes: Buffer; type: string }>()
  const uploads = new Map<string, Map<number, Buffer>>()
  const log: string[] = []
  /** Answers so many of the next requests with 503. */
  let failures = 0

  const refuse = (res: ServerResponse, status: number, code: string) =>
    res
      .writeHead(status, { 'content-type': 'application/xml' })
      .end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`)

  const handle = (req: IncomingMessage, res: ServerResponse, body: Buffer) => {
    const url = new URL(req.url ?? '/', 'http://s3.test')
    log.push(`${req.method} ${url.pathname}`)
    if (failures > 0) {
      failures -= 1
      return refuse(res, 503, 'SlowDown')
    }
    const fault = findFault(req, body, new Date())
    if (fault) return refuse(res, 403, fault)
    const key = decodeURIComponent(url.pathname)
    const id = url.searchParams.get('uploadId')
    if (req.method === 'POST' && url.searchParams.has('uploads')) {
      const upload = `upload ${uploads.size}/+`
      uploads.set(upload, new Map())
      return res.end(`<R><UploadId>${upload}</UploadId></R>`)
    }
    if (id !== null) {
      const parts = uploads.get(id)
      if (!parts) return refuse(res, 404, 'NoSuchUpload')
      if (req.method === 'DELETE') {
        uploads.delete(id)
        return res.writeHead(204).end()
      }
      if (req.method === 'PUT') {
        parts.set(Number(url.searchParams.get('partNumber')), body)
        return res.writeHead(200, { etag: `"${sha256(body).slice(0, 32)}"` }).end()
      }
      const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>"[0-9a-f]{32}"/g)]
      const bytes = Buffer.concat(numbers.map(([, n]) => parts.get(Number(n)) ?? Buffer.alloc(0)))
      objects.set(key, { bytes, type: 'application/octet-stream' })
      uploads.delete(id)
      return res.end('<CompleteMultipartUploadResult/>')
    }
    if (req.method === 'PUT') {
      const checksum = req.headers['x-amz-checksum-sha256']
      if (checksum !== undefined && checksum !== createHash('sha256').update(body).digest('base64'))
        return refuse(res, 400, 'BadDigest')
      objects.set(key, { bytes: body, type: String(req.headers['content-type']) })
      return res.writeHead(200, { etag: '"x"' }).end()
    }
    const object = objects.get(key)
    if (req.method === 'DELETE') {
      objects.delete(key)
      return res.writeHead(204).end()
    }
    if (!object) return refuse(res, 404, 'NoSuchKey')
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? '') ?? []
    const bytes = from === undefined ? object.bytes : object.bytes.subarray(Number(from), Number(to) + 1)
    const disposition = url.searchParams.get('response-content-disposition')
    res.writeHead(from === undefined ? 200 : 206, {
      'content-type': url.searchParams.get('response-content-type') ?? object.type,
      'content-length': bytes.length,
      ...(disposition && { 'content-disposition': disposition }),
    })
    return res.end(req.method === 'HEAD' ? undefined : bytes)
  }

  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('error', () => undefined)
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => handle(req, res, Buffer.concat(chunks)))
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/bucket/of files`.replace(' ', '%20'),
    port,
    objects,
    uploads,
    log,
    fail: (count: number) => {
      failures = count
    },
    async stop() {
      server.closeAllConnections()
      await new Promise(closed => server.close(closed))
    },
  }
}

export type S3 = Awaited<ReturnType<typeof startS3>>
