import { createHash, X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authority, good } from '../../internet/certificates.ts'
import { startMailServer } from '../../internet/mail-server.ts'
import { startData } from './run.ts'

let data: Awaited<ReturnType<typeof startData>>
let mail: Awaited<ReturnType<typeof startMailServer>>
beforeAll(async () => {
  data = await startData()
  mail = await startMailServer()
  data.internet.mail.port = mail.server.port
})
afterAll(async () => {
  mail.stop()
  await data.stop()
})

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()
const leaf = new X509Certificate(good)
const key = leaf.publicKey.export({ type: 'spki', format: 'der' })

type Tlsa = { usage: number; selector: number; matchingType: number; certificate: Buffer }
const tlsa = (usage: number, selector: number, matchingType: number, certificate: Buffer): Tlsa => ({
  usage,
  selector,
  matchingType,
  certificate,
})

let names = 0
/** A domain whose one mail server is known by these TLSA records. */
const serve = (records: Tlsa[], { mx = true, server = true } = {}) => {
  const domain = `mail-${++names}.example.com`
  const host = `mx.${domain}`.replace(/^mx\./, 'mx-')
  const { zone } = data.internet.dns
  zone.set(domain, { MX: [{ preference: 10, exchange: host }], authentic: mx })
  zone.set(host, { A: ['93.184.216.34'] })
  if (records.length > 0) zone.set(`_25._tcp.${host}`, { TLSA: records, authentic: server })
  return domain
}

type Server = { starttls: object; dane: { status: string; records: string[] } }
const look = async (domain: string) => {
  const answer = await data.ask('email-auth', { domain })
  const [server] = answer.servers as Server[]
  return { answer, server, advice: (answer.recommendations as { code: string }[]).map(({ code }) => code) }
}

describe('STARTTLS of a mail server', () => {
  test('is shown with its version and certificate', async () => {
    mail.server.manner = 'starttls'
    const { server } = await look(serve([]))
    expect(server).toMatchObject({
      starttls: { status: 'offered', protocol: 'TLSv1.3', certificate: { valid: true, problem: null } },
      dane: { status: 'none', records: [] },
    })
  })

  test('that is not offered is said, with what to do', async () => {
    mail.server.manner = 'plain'
    const { server, advice } = await look(serve([]))
    expect(server?.starttls).toMatchObject({ status: 'not_offered', certificate: null })
    expect(advice).toContain('offer_starttls')
    mail.server.manner = 'starttls'
  })

  test('is unknown where port 25 is blocked: no fault, and the rest is answered', async () => {
    data.internet.mail.port = 0
    const { server, answer, advice } = await look(serve([tlsa(3, 1, 1, sha256(key))]))
    data.internet.mail.port = mail.server.port
    expect(server).toMatchObject({ starttls: { status: 'unknown' }, dane: { status: 'published' } })
    expect(advice).not.toContain('offer_starttls')
    expect(answer.spoofability).toBe('partial')
  })
})

describe('DANE of a mail server', () => {
  test.each([
    ['valid', tlsa(3, 1, 1, sha256(key))],
    ['valid', tlsa(3, 0, 1, sha256(leaf.raw))],
    ['valid', tlsa(3, 1, 0, key)],
    ['valid', tlsa(2, 0, 1, sha256(new X509Certificate(authority).raw))],
    ['mismatch', tlsa(3, 1, 1, sha256(Buffer.from('another key')))],
    ['mismatch', tlsa(2, 0, 1, sha256(leaf.raw))],
    ['unusable', tlsa(1, 1, 1, sha256(key))],
    ['unusable', tlsa(3, 7, 1, sha256(key))],
  ])('is %s', async (status, record) => {
    const { server, advice } = await look(serve([record]))
    expect(server?.dane.status).toBe(status)
    expect(server?.dane.records[0]).toMatch(/^\d \d \d [\da-f]+$/)
    expect(advice.includes('repair_dane')).toBe(status === 'mismatch')
  })

  test('needs one record of several', async () => {
    const { server } = await look(
      serve([tlsa(3, 1, 1, sha256(Buffer.from('next'))), tlsa(3, 1, 1, sha256(key))]),
    )
    expect(server?.dane.status).toBe('valid')
  })

  test.each([
    { mx: false, server: true },
    { mx: true, server: false },
  ])('without DNSSEC counts for nothing: %o', async signed => {
    const { server, advice } = await look(serve([tlsa(3, 1, 1, sha256(key))], signed))
    expect(server?.dane.status).toBe('insecure')
    expect(advice).toContain('sign_zone')
  })

  test('is unknown where the DNS does not answer', async () => {
    const domain = serve([])
    data.internet.dns.zone.set(`_25._tcp.mx-${domain}`, 'SERVFAIL')
    expect((await look(domain)).server?.dane.status).toBe('unknown')
  })
})

test('a record of mail with a tag twice has a warning', async () => {
  const { zone } = data.internet.dns
  zone.set('twice.example.com', { MX: [{ preference: 1, exchange: 'mx1.example.com' }] })
  zone.set('_smtp._tls.twice.example.com', {
    TXT: ['v=TLSRPTv1; rua=mailto:a@example.com; rua=mailto:b@example.com'],
  })
  zone.set('_mta-sts.twice.example.com', { TXT: ['v=STSv1; id=1; id=2'] })
  zone.set('default._bimi.twice.example.com', {
    TXT: ['v=BIMI1; l=https://example.com/a.svg; l=https://example.com/b.svg'],
  })
  zone.set('_dmarc.twice.example.com', { TXT: ['v=DMARC1; p=reject; adkim=s; adkim=r'] })
  const answer = await data.ask('email-auth', { domain: 'twice.example.com' })
  const repeated = expect.arrayContaining([expect.objectContaining({ code: 'repeated_tag' })])
  const [warned, refused] = [{ warnings: repeated }, { errors: repeated, valid: false }]
  expect(answer).toMatchObject({ tls_rpt: warned, mta_sts: warned, bimi: refused, dmarc: refused })
})
