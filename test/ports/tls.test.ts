import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { good } from '../internet/certificates.ts'
import { type Internet, startInternet } from '../internet/internet.ts'
import { startMailServer } from '../internet/mail-server.ts'

let internet: Internet
let mail: Awaited<ReturnType<typeof startMailServer>>
beforeAll(async () => {
  internet = await startInternet()
  mail = await startMailServer()
  internet.mail.port = mail.server.port
})
afterAll(async () => {
  mail.stop()
  await internet.stop()
})

const open = (more = {}) => internet.ports({}, { deadlineMs: 1000, ...more }).tls
const upstream = { code: 'upstream', extra: { retryable: true } }

describe('the TLS of a web server', () => {
  test('is told with its certificate', async () => {
    const { raw, fingerprint256 } = new X509Certificate(good)
    expect(await open().inspect('www.example.com', 443)).toMatchObject({
      offered: true,
      protocol: 'TLSv1.3',
      problem: null,
      address: '93.184.216.34',
      certificate: { subject: 'example.com', raw, fingerprint256, keyType: 'ec', curve: 'prime256v1' },
      chain: [{ subject: 'Test internet CA' }],
    })
  })

  test.each([
    ['expired.example.com', 'CERT_HAS_EXPIRED'],
    ['self-signed.example.com', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['other.example', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('of %s is looked at, and its fault named', async (host, problem) => {
    internet.dns.zone.set('other.test-host.net', { A: ['93.184.216.34'] })
    const name = host === 'other.example' ? 'other.test-host.net' : host
    internet.web.site(name, '/', { body: 'x' })
    expect(await open().inspect(name, 443)).toMatchObject({ offered: true, problem })
  })
})

describe('the TLS of a mail server', () => {
  const inspect = (manner: typeof mail.server.manner, more = {}) => {
    mail.server.manner = manner
    return open(more).inspect('mx1.example.com', 25)
  }

  test('is asked for by STARTTLS, under our own name', async () => {
    expect(await inspect('starttls', { helo: 'agents.example.org' })).toMatchObject({
      offered: true,
      problem: null,
      protocol: 'TLSv1.3',
    })
    expect(mail.server.heard).toContain('EHLO agents.example.org')
    expect(await inspect('plain')).toEqual({ offered: false, address: '93.184.216.34' })
  })

  test.each(['refusing', 'silent', 'endless'] as const)('of one that is %s is unknown', async manner => {
    await expect(inspect(manner)).rejects.toMatchObject(upstream)
  })

  test('is not asked for where that is turned off', async () => {
    mail.server.heard.length = 0
    await expect(inspect('starttls', { smtp: 'off' })).rejects.toMatchObject(upstream)
    expect(mail.server.heard).toEqual([])
  })

  test('is not asked for any more where the port is blocked, and is again later', async () => {
    internet.mail.port = 0
    let now = 0
    const tls = open({ now: () => now })
    for (let n = 0; n < 4; n++)
      await expect(tls.inspect('mx1.example.com', 25)).rejects.toMatchObject(upstream)
    internet.mail.port = mail.server.port
    mail.server.manner = 'starttls'
    await expect(tls.inspect('mx1.example.com', 25)).rejects.toThrow(/blocked/)
    now += 11 * 60_000
    expect(await tls.inspect('mx1.example.com', 25)).toMatchObject({ offered: true })
  })
})

describe('what is not on the public internet', () => {
  test.each(['127.0.0.1', '10.0.0.1', '::1', 'localhost', 'router.internal'])(
    'is not asked: %s',
    async host => {
      await expect(open().inspect(host, 25)).rejects.toMatchObject(upstream)
      await expect(open().inspect(host, 443)).rejects.toMatchObject(upstream)
    },
  )

  test('is not asked by a public name for it, nor by one of several addresses', async () => {
    internet.dns.zone.set('inside.example.com', { A: ['93.184.216.34', '10.0.0.1'] })
    await expect(open().inspect('inside.example.com', 25)).rejects.toMatchObject(upstream)
  })
})

test('one address is asked 30 times a minute, whoever names it', async () => {
  const tls = open()
  for (let n = 0; n < 30; n++) await tls.inspect('www.example.com', 443)
  await expect(tls.inspect('edge.example.com', 443)).rejects.toMatchObject({ code: 'too_many_requests' })
})
