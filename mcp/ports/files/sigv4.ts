import { createHash, createHmac } from 'node:crypto'

/** The signer, and its region. */
export type SigningAccount = { keyId: string; secret: string; region: string }

const hashHex = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest()

/** Percent-encoding as S3 counts it: everything but unreserved characters (RFC 3986 §2.3). */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const canonicalQuery = (url: URL): string =>
  [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')

const canonicalPath = ({ pathname }: URL): string =>
  pathname
    .split('/')
    .map(part => encode(decodeURIComponent(part)))
    .join('/')

const toAmzDate = (now: Date): string => now.toISOString().replace(/[-:]|\.\d{3}/g, '')

const computeSignature = (
  method: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
  payload: string,
  { secret, region }: SigningAccount,
  at: string,
): string => {
  const names = Object.keys(headers).sort()
  const request = [
    method,
    canonicalPath(url),
    canonicalQuery(url),
    ...names.map(name => `${name}:${headers[name]?.trim()}`),
    '',
    names.join(';'),
    payload,
  ].join('\n')
  const day = at.slice(0, 8)
  const text = ['AWS4-HMAC-SHA256', at, `${day}/${region}/s3/aws4_request`, hashHex(request)].join('\n')
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), 's3'), 'aws4_request')
  return hmac(key, text).toString('hex')
}

type Signing = { method: string; url: string; headers?: Readonly<Record<string, string>>; now: Date }

/** The headers of a request that is signed as AWS Signature Version 4 says for S3, with those that it covers. */
export const signHeaders = (
  account: SigningAccount,
  { method, url, headers = {}, now, body = '' }: Signing & { body?: string | Buffer },
): Record<string, string> => {
  const target = new URL(url)
  const at = toAmzDate(now)
  const payload = hashHex(body)
  const covered = { ...headers, host: target.host, 'x-amz-content-sha256': payload, 'x-amz-date': at }
  const signature = computeSignature(method, target, covered, payload, account, at)
  const scope = `${account.keyId}/${at.slice(0, 8)}/${account.region}/s3/aws4_request`
  const names = Object.keys(covered).sort().join(';')
  const { host: _, ...wire } = covered
  return {
    ...wire,
    authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

/** An address that carries its own signature for so many seconds; `headers` must be sent as they were signed. */
export const presignUrl = (
  account: SigningAccount,
  { method, url, headers = {}, now, seconds }: Signing & { seconds: number },
): string => {
  const target = new URL(url)
  const at = toAmzDate(now)
  const covered = { ...headers, host: target.host }
  const query = {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${account.keyId}/${at.slice(0, 8)}/${account.region}/s3/aws4_request`,
    'X-Amz-Date': at,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': Object.keys(covered).sort().join(';'),
  }
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value)
  const signature = computeSignature(method, target, covered, 'UNSIGNED-PAYLOAD', account, at)
  target.search = `${canonicalQuery(target)}&X-Amz-Signature=${signature}`
  return target.href
}
