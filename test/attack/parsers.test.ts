// Mutated input for every parser of strangers' bytes: 300 a parser by default, some 10 CPU seconds in all; 20,000 with STRESS=1.
import { randomBytes } from 'node:crypto'
import packet from 'dns-packet'
import { describe, expect, test } from 'vitest'
import { judgeCsp } from '../../mcp/lib/csp/judge.ts'
import { parsePolicies } from '../../mcp/lib/csp/parse.ts'
import { readFeed } from '../../mcp/lib/feed/read-feed.ts'
import { openXmlReader } from '../../mcp/lib/feed/xml-reader.ts'
import { readExif } from '../../mcp/lib/image/exif.ts'
import { lookAtImage } from '../../mcp/lib/image/look.ts'
import { parseLenientJson } from '../../mcp/lib/json-repair/repair.ts'
import { parseKey } from '../../mcp/lib/mail-auth/dkim/key.ts'
import { parseDmarc } from '../../mcp/lib/mail-auth/dmarc/record.ts'
import { parseSpf } from '../../mcp/lib/mail-auth/spf/parse.ts'
import { parseStsPolicy } from '../../mcp/lib/mail-auth/sts-policy.ts'
import { BadTimestamp, formatOts, parseOts } from '../../mcp/lib/opentimestamps.ts'
import { parsePage } from '../../mcp/lib/page/parse-page.ts'
import { decodeCredential, findCredentials, readPaymentCredential } from '../../mcp/lib/payment-auth.ts'
import { readSecurityTxt } from '../../mcp/lib/security-txt.ts'
import { mintMacaroon, parseMacaroon } from '../../mcp/payment/dialects/l402/macaroon.ts'
import { readPayload } from '../../mcp/payment/dialects/x402/payload.ts'
import { readReply, writeQuestion } from '../../mcp/ports/dns/message.ts'
import { readSvcb } from '../../mcp/ports/dns/svcb.ts'
import { readText } from '../../mcp/ports/fetch/charset.ts'
import { decodeInvoice, encodeInvoice } from '../../mcp/ports/lightning/bolt11.ts'
import { readDomainObject } from '../../mcp/ports/rdap/domain-object.ts'
import { readNumberObject } from '../../mcp/ports/rdap/network.ts'
import { parseServices } from '../../mcp/ports/rdap/services.ts'
import { parseWhois } from '../../mcp/ports/rdap/whois/read.ts'
import { report as readRobots } from '../../mcp/services/data/robots/report.ts'
import { isStress } from '../stress.ts'
import { mutations } from './mutation.ts'

const texts = (...seeds: string[]) => seeds.map(seed => Buffer.from(seed))
const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex')
const asText = (read: (text: string) => unknown) => (bytes: Buffer) => read(bytes.toString())
/** Parsers of JSON see what is JSON still. */
const asJson = (read: (value: never) => unknown) => (bytes: Buffer) => {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? read(value as never)
    : undefined
}

const rss =
  '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE rss [<!ENTITY a "b">]><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>A &a; &#38; B</title><item><title><![CDATA[x]]></title><dc:date>2026-01-05T10:00:00Z</dc:date><pubDate>Mon, 05 Jan 2026 10:00:00 +0100</pubDate><enclosure url="a.mp3" length="1" type="audio/mpeg"/></item></channel></rss>'
const html =
  '<!doctype html><html lang=en><meta http-equiv=content-type content="text/html; charset=koi8-r"><meta charset="utf-8"><title>a</title><body><table><tr><td>1<p><b><svg><math><template><a href=/x>&notin;</a><!-- - -->'
const domain = JSON.stringify({
  objectClassName: 'domain',
  ldhName: 'example.com',
  events: [{ eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' }],
  entities: [
    {
      roles: ['registrar'],
      publicIds: [{ type: 'IANA Registrar ID', identifier: '376' }],
      vcardArray: [
        'vcard',
        [
          ['fn', {}, 'text', 'R'],
          ['adr', { cc: 'US' }, 'text', ['', '', '', '', '', '', '']],
        ],
      ],
    },
  ],
  nameservers: [{ ldhName: 'a.iana-servers.net' }],
  secureDNS: { delegationSigned: true, dsData: [{}] },
  status: ['client delete prohibited'],
})
const network = JSON.stringify({
  handle: 'NET-1',
  startAddress: '192.0.2.0',
  endAddress: '192.0.2.255',
  country: 'US',
  cidr0_cidrs: [{ v4prefix: '192.0.2.0', length: 24 }],
  remarks: [{ title: 'description', description: ['x'] }],
  startAutnum: 1,
  endAutnum: 2,
})
const whois =
  'Domain Name: EXAMPLE.COM\nRegistrar: R\nCreation Date: 1995-08-14T04:00:00Z\nRegistry Expiry Date: 2026-08-13\nName Server: A.IANA-SERVERS.NET\nDNSSEC: signedDelegation\nWHOIS Server: whois.example.net\n\n[Domain Name] X\n   Created: before 1996\n>>> Last update <<<\n'
const jpeg = hex(
  'ffd8ffe1004e45786966000049492a0008000000020010010200040000004142430069870400010000002600000000000000010003900200140000003800000000000000323032363a30313a30352031303a30303a303000ffd9',
)
const png = hex(
  '89504e470d0a1a0a0000000d4948445200000001000000010806000000 1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082',
)

const question = writeQuestion('example.com', 'A', { edns: true, id: 7 })
const replyWith = (answers: object[]): Buffer =>
  packet.encode({
    type: 'response',
    id: 7,
    flags: packet.RECURSION_DESIRED,
    questions: [{ type: 'A', name: question.spelling, class: 'IN' }],
    answers,
    authorities: [{ type: 'SOA', name: 'com', data: { mname: 'a', rname: 'b', serial: 1 } }],
  } as never)
const replies = [
  replyWith([{ type: 'A', name: 'example.com', ttl: 60, data: '192.0.2.1' }]),
  replyWith([
    { type: 'CNAME', name: 'example.com', ttl: 60, data: 'a.example.com' },
    { type: 'TXT', name: 'a.example.com', ttl: 60, data: ['v=spf1 -all'] },
    { type: 'MX', name: 'example.com', ttl: 1, data: { preference: 1, exchange: 'mx.example.com' } },
    { type: 'CAA', name: 'example.com', ttl: 1, data: { flags: 0, tag: 'issue', value: 'x' } },
    {
      type: 'DS',
      name: 'example.com',
      ttl: 1,
      data: { keyTag: 1, algorithm: 8, digestType: 2, digest: randomBytes(32).fill(1) },
    },
  ]),
]
const invoice = encodeInvoice({
  currency: 'bc',
  msat: 1000n,
  key: Buffer.alloc(32, 7),
  createdAt: new Date(1_700_000_000_000),
  paymentHash: Buffer.alloc(32, 1),
  paymentSecret: Buffer.alloc(32, 2),
  description: 'x',
  expirySeconds: 60,
})
const macaroon = mintMacaroon(Buffer.alloc(32, 3), {
  location: 'x',
  identifier: Buffer.alloc(66, 4),
  caveats: [Buffer.from('service=a:0')],
})
const timestamp = formatOts({
  message: Buffer.alloc(32, 5),
  attestations: [
    { attestation: { kind: 'bitcoin', height: 1, merkleRoot: '' }, bytes: hex('0588960d73d719010101') },
  ],
  steps: [],
})
const payment = Buffer.from(
  Buffer.from(
    JSON.stringify({
      x402Version: 2,
      accepted: { scheme: 'exact', network: 'eip155:8453', amount: '1', asset: '0x', payTo: '0x', extra: {} },
      payload: {},
    }),
  ).toString('base64'),
)

type Parser = { seeds: Buffer[]; read: (bytes: Buffer) => unknown; refuses?: (error: unknown) => boolean }

/** How each says that it cannot read something: by its answer, or by an error that its callers know. */
const parsers: Record<string, Parser> = {
  charset: {
    seeds: texts(html, rss, '\ufeffé', '<meta name=x content="a; charset">'),
    read: bytes => [
      readText(bytes, 'text/html'),
      readText(bytes, ''),
      readText(Buffer.from(html), bytes.toString('latin1')),
    ],
  },
  page: { seeds: texts(html), read: bytes => parsePage(bytes.toString()) },
  feed: {
    seeds: texts(
      rss,
      '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>a</id><updated>2026</updated><content type="xhtml"><div>x</div></content></entry></feed>',
      '{"version":"https://jsonfeed.org/version/1.1","items":[{"id":1,"date_published":"2026"}]}',
    ),
    read: bytes => readFeed(bytes, { url: 'https://example.org/', content: true }),
  },
  XML: {
    seeds: texts(rss),
    read: asText(text => {
      const ignore = () => undefined
      const reader = openXmlReader({ open: ignore, close: ignore, text: ignore }, ignore)
      reader.write(text)
      reader.end()
    }),
  },
  CSP: {
    seeds: texts(
      "default-src 'self' 'nonce-abc' https: *.example.org:*; script-src 'sha256-x' 'strict-dynamic'; report-to a, frame-ancestors 'none'",
    ),
    read: asText(text => [
      parsePolicies([text], 'header'),
      judgeCsp({ lines: [text], reportOnly: [text], meta: [text], again: [text] }),
    ]),
  },
  DKIM: {
    seeds: texts(
      'v=DKIM1; k=rsa; h=sha256; t=y:s; s=email; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDwIRP/UC3SBsEmGqZ9ZJW3/DkMoGeLnQg1fWn7/zYtIxN2SnFCjxOCKG9v3b4jYfcTNh5ijSsq631uBItLa7od+v/RtdC2UzJ1lWT947qR+Rcac2gbto/NMqJ0fzfVjH4OuKhitdY9tf6mcwGjaNBcWToIMmPSPDdQPNUYckcQ2QIDAQAB',
      'k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
    ),
    read: asText(parseKey),
  },
  SPF: {
    seeds: texts(
      'v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 a:%{i}._spf.%{d2}/24//64 include:x.example mx exists:%{ir}.x ?ptr redirect=_spf.example.org exp=x -all',
    ),
    read: asText(parseSpf),
  },
  DMARC: {
    seeds: texts(
      'v=DMARC1; p=reject; sp=none; np=quarantine; rua=mailto:a@example.org!10m,https://x; ruf=mailto:b; fo=1:d:s; adkim=s; aspf=r; pct=50; ri=86400; psd=n; t=y',
    ),
    read: asText(parseDmarc),
  },
  'MTA-STS': {
    seeds: texts('version: STSv1\r\nmode: enforce\r\nmx: *.example.org\r\nmax_age: 604800\r\n'),
    read: asText(parseStsPolicy),
  },
  'security.txt': {
    seeds: texts(
      '-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nContact: mailto:a@example.org\nExpires: 2027-01-01T00:00:00Z\nPreferred-Languages: en\n',
    ),
    read: asText(text => readSecurityTxt(text, 'https://example.org/.well-known/security.txt', new Date(0))),
  },
  image: { seeds: [jpeg, png], read: bytes => lookAtImage(bytes) },
  EXIF: { seeds: [jpeg], read: readExif },
  DNS: { seeds: replies, read: bytes => readReply(question, bytes) },
  SVCB: {
    seeds: [hex('0001000001000302683200040004c0000201000600102001 0db8000000000000000000000001')],
    read: readSvcb,
    refuses: error => error instanceof RangeError,
  },
  RDAP: { seeds: texts(domain), read: asJson(readDomainObject) },
  'RDAP network': {
    seeds: texts(network),
    read: asJson(body => readNumberObject({ url: 'https://rdap.example.net/ip/1', body }, [])),
  },
  'RDAP services': {
    seeds: texts('{"services":[[["com"],["https://rdap.example.net/"]]]}'),
    read: asText(parseServices),
    refuses: error => !(error instanceof TypeError),
  },
  WHOIS: { seeds: texts(whois), read: asText(parseWhois) },
  robots: {
    seeds: texts(
      'User-agent: *\nDisallow: /a*b$\nAllow: /%E2%82%AC\nCrawl-delay: 1.5\nSitemap: /s.xml\nContent-Signal: ai-train=no\n',
    ),
    read: body => readRobots({ body, path: '/a/b', user_agent: 'x' }),
  },
  OTS: { seeds: [timestamp], read: parseOts, refuses: error => error instanceof BadTimestamp },
  macaroon: { seeds: texts(macaroon), read: asText(parseMacaroon) },
  'BOLT 11': {
    seeds: texts(invoice),
    read: asText(decodeInvoice),
    refuses: error => error instanceof Error,
  },
  x402: { seeds: [payment], read: asText(readPayload) },
  'Authorization: Payment': {
    seeds: texts(
      `Payment ${Buffer.from('{"challenge":{"id":"a"},"payload":{}}').toString('base64url')}, L402 a:b`,
    ),
    read: asText(text => findCredentials(text).map(found => readPaymentCredential(decodeCredential(found)))),
  },
  JSON: {
    seeds: texts('{"a": [1, "x", null, {"b": 1e5}], // c\n \'d\': True,}'),
    read: asText(parseLenientJson),
  },
}

const seed = Number(process.env.ATTACK_SEED ?? 20_260_729)

describe('no byte of a stranger makes a parser fail', () => {
  test.each(Object.entries(parsers))('%s', async (name, { seeds, read, refuses = () => false }) => {
    for (const input of seeds) await read(input)
    for (const bytes of mutations(seeds, isStress ? 20_000 : 300, seed)) {
      try {
        await read(bytes)
      } catch (error) {
        if (!refuses(error))
          throw new Error(`${name}: ${JSON.stringify(bytes.toString('latin1'))}`, { cause: error })
      }
    }
  })
})

test('a page that the sniffer of charsets throws at is read', () => {
  const page = '<meta name="a" content="text; charset"><p>Straße'
  expect(readText(Buffer.from(page), 'text/html')).toMatchObject({ text: page, charset: 'utf-8' })
})
