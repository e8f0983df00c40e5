/** What `whois/*.txt` tell: answers in the forms of registries around the world, about domains that nobody has. */
export const whoisFacts: Readonly<Record<string, object>> = {
  // ICANN style
  ly: {
    created: { at: '2007-10-02T22:00:00Z', raw: '2007-10-02T22:00:00.0Z' },
    updated: '2021-09-07T21:39:17Z',
    expires: '2032-10-02T22:00:00Z',
    registrar: {
      name: 'Sample Spider Network (int)',
      ianaId: '292',
      url: 'http://www.spider.example',
      abuseEmail: 'abuse@spider.example',
    },
    status: ['clientDeleteProhibited', 'clientTransferProhibited'],
    nameservers: ['ns1.sample.ly', 'ns2.sample.ly'],
    dnssec: false,
    redacted: true,
    registrant: { organization: 'Sample LLC', country: 'US' },
  },
  // .uk, headings over indented values
  uk: {
    created: { at: null, raw: 'before Aug-1996' },
    updated: '2013-10-23T00:00:00Z',
    expires: '2030-12-05T00:00:00Z',
    registrar: { name: 'Sample, Inc. t/a Sample', url: 'http://www.sample.example', ianaId: null },
    nameservers: ['ns1.sample.example', 'ns6.sample.co.uk'],
  },
  // .it, bare headings
  it: {
    created: '1999-12-10T00:00:00Z',
    updated: '2018-05-07T00:54:15Z',
    expires: '2029-04-21T00:00:00Z',
    registrar: { name: 'Mark Sample International Limited', url: 'https://www.mark.example/' },
    dnssec: true,
    nameservers: ['ns1.sample.example', 'ns2.sample.example'],
    registrant: { organization: 'Sample Holdings', country: null },
  },
  // .eu, without dates
  eu: {
    created: null,
    expires: null,
    registrar: { name: 'Sample vzw', url: 'https://www.sample.example' },
    nameservers: ['ns1.sample.eu', 'nsp.sample.example'],
    dnssec: true,
    redacted: true,
    status: [],
  },
  // .be, flags and a status that means the contrary
  be: {
    created: '2000-12-12T00:00:00Z',
    registrar: { name: 'Sample NV' },
    status: ['NOT AVAILABLE', 'clientTransferProhibited'],
    nameservers: ['ns1.sample.example', 'ns2.sample.example'],
    dnssec: null,
  },
  // .nl
  nl: {
    created: '1998-02-20T00:00:00Z',
    updated: '2025-09-12T00:00:00Z',
    registrar: { name: 'Hosting Sample', abuseEmail: 'abuse@sample.example' },
    dnssec: true,
    nameservers: ['ns1.sample.nl', 'ns2.sample.eu'],
  },
  // .jp, labels in brackets
  jp: {
    created: '2001-03-22T00:00:00Z',
    expires: '2031-03-31T00:00:00Z',
    updated: { at: '2023-03-31T16:05:01Z', raw: '2023/04/01 01:05:01 (JST)' },
    nameservers: ['ns1.sample.example', 'ns2.sample.example'],
    registrant: { organization: 'Sample K.K.', country: null },
  },
  // .co.jp, letters before the brackets
  'co-jp': {
    created: '2001-03-22T00:00:00Z',
    expires: '2031-03-31T00:00:00Z',
    updated: '2025-03-31T16:04:23Z',
  },
  // .kr
  kr: {
    created: '1999-07-28T00:00:00Z',
    updated: '2019-06-11T00:00:00Z',
    expires: '2030-07-28T00:00:00Z',
    registrar: { name: 'Sample Corp.', url: 'http://www.sample.example' },
    dnssec: false,
    nameservers: ['ns1.sample.example', 'ns2.sample.example'],
    registrant: { organization: 'Sample Korea' },
  },
  // .cn
  cn: {
    created: '2003-03-17T12:20:05Z',
    expires: '2031-03-17T12:48:36Z',
    registrar: { name: '示例网络有限公司' },
    registrant: { organization: '示例公司' },
    dnssec: false,
  },
  // .ru
  ru: {
    created: '1997-09-23T09:45:07Z',
    expires: '2030-09-30T21:00:00Z',
    registrar: { name: 'SAMPLE-RU' },
    status: ['REGISTERED', 'DELEGATED', 'VERIFIED'],
    nameservers: ['ns1.sample.ru', 'ns2.sample.ru'],
    registrant: { organization: 'SAMPLE, LLC.' },
  },
  // .ua, headings in comments
  ua: {
    created: '2002-12-03T22:00:00Z',
    updated: '2023-11-02T09:52:29Z',
    expires: '2034-12-03T22:00:00Z',
    registrar: { name: 'ua.sample', url: 'http://sample.example', abuseEmail: 'abuse@sample.example' },
    registrant: { organization: 'Sample LLC', country: 'US' },
  },
  // .tr, stars and dots
  tr: {
    created: { at: '2001-08-23T00:00:00Z', raw: '2001-Aug-23.' },
    expires: '2029-08-22T00:00:00Z',
    updated: null,
    registrar: { name: 'Sample Monitor, Inc' },
    nameservers: ['ns1.sample.example', 'ns2.sample.example'],
    redacted: true,
  },
  // .tw, sentences
  tw: {
    created: '2000-08-29T00:00:00Z',
    expires: '2029-11-09T00:00:00Z',
    status: ['clientUpdateProhibited', 'clientTransferProhibited'],
    registrar: { name: 'Sample, Inc.', url: 'http://www.sample.example/' },
    nameservers: ['ns1.sample.example', 'ns2.sample.example'],
    registrant: { organization: 'Sample Inc.' },
  },
  // .fi, dots
  fi: {
    created: '2012-07-18T04:04:23Z',
    updated: '2019-03-19T00:00:00Z',
    expires: '2032-07-17T22:16:55Z',
    nameservers: ['ns3.sample.example', 'ns1.sample.example'],
    dnssec: false,
    registrar: { name: 'Sample GmbH' },
  },
  // .pl, values that go on below
  pl: {
    created: '1999-10-27T13:00:00Z',
    updated: '2017-10-17T07:01:25Z',
    expires: '2028-10-26T15:00:00Z',
    registrar: { name: 'Sample Service Company' },
    nameservers: ['dns1.sample.pl', 'dns2.sample.pl'],
    dnssec: false,
  },
  // .il, a line for every change
  il: {
    created: '1999-06-05T00:00:00Z',
    updated: '2018-12-16T00:00:00Z',
    expires: '2036-06-05T00:00:00Z',
    registrar: { name: 'Sample Net Technologies Ltd', url: 'https://www.sample.example' },
  },
  // .br
  br: {
    created: { at: '1999-05-18T00:00:00Z', raw: '19990518 #162310' },
    updated: '2024-04-17T00:00:00Z',
    expires: '2030-05-18T00:00:00Z',
    registrar: null,
    registrant: { organization: 'Sample Brasil Ltda' },
  },
  // .at
  at: {
    created: null,
    updated: '2011-04-26T17:57:27Z',
    registrar: { name: 'Sample Inc.', url: 'https://nic.at/registrar/434' },
  },
  // .ve, in Spanish
  ve: {
    created: '2003-03-06T00:00:00Z',
    updated: '2005-11-17T20:35:01Z',
    expires: '2028-03-06T00:00:00Z',
    nameservers: ['ns1.sample.example', 'ns2.sample.example'],
    registrant: { organization: 'Sample Inc.' },
  },
  // .gg, ordinals
  gg: {
    created: '2003-04-30T00:00:00Z',
    registrar: { name: 'Sample Inc.', url: 'http://www.sample.example' },
    status: ['active', 'Transfer Prohibited by Registrar'],
    registrant: { organization: 'Sample LLC' },
  },
  // .kz, states that are parts of addresses
  kz: { created: '1999-06-07T13:01:43Z', updated: '2012-11-28T03:16:59Z', registrar: { name: 'KAZNIC' } },
  // .lv, sections in brackets
  lv: { updated: null, registrar: { name: 'Sample Inc.' }, registrant: { organization: 'Sample LLC' } },
}

/** Ways to say that there is no such domain. */
export const absences: readonly string[] = [
  'No match for "FREE.COM".\r\n>>> Last update of whois database: 2026-04-07T15:05:09Z <<<',
  'NOT FOUND\n',
  '% No entries found for the selected source(s).',
  '%ERROR:101: no entries found\n%\n% No entries found.',
  'Domain: free.eu\nScript: LATIN\n\nStatus: AVAILABLE',
  'Domain:             free.it\nStatus:             AVAILABLE',
  'Domain: free.de\nStatus: free',
  'free.nl is free',
  'No Data Found\n>>> Last update',
  'Domain not found.',
  'The queried object does not exist: DOMAIN NOT FOUND',
  'The domain has not been registered.',
  'No matching record.',
  'No_Se_Encontro_El_Objeto/Object_Not_Found',
  '% nothing found\n',
  'query : free.kr\n\nThe requested domain was not found in the Registry or Registrar’s WHOIS Server.\nAbove domain name is not registered to KRNIC.',
  'No such domain free.lu',
  'No match!!',
  '*** Nothing found for this query.',
]
