import { describe, expect, test } from 'vitest'
import { codes, openIntel, web } from './domain-intel-world.ts'

const { domain, intel, internet, page } = openIntel()

describe('a domain', () => {
  test('is told from all sides', async () => {
    const found = await intel('https://EXAMPLE.com/page')
    expect(found).toMatchObject({
      skill: 'domain-intel',
      domain: 'example.com',
      unicode: 'example.com',
      registrable: 'example.com',
      exists: true,
      resolves: true,
      wildcard: false,
      mail: {
        mx: ['mx1.example.com', 'mx2.example.com'],
        provider: null,
        spf: 'v=spf1 include:_spf.example.com -all',
        dmarc: expect.stringContaining('v=DMARC1; p=reject'),
        spoofable: expect.any(Boolean),
      },
      deliverability: { score: expect.any(Number), grade: expect.stringMatching(/^[A-F]$/) },
      web: {
        url: 'https://example.com/',
        status: 200,
        https: true,
        hsts: false,
        server: null,
        tech: [],
        tech_count: 0,
      },
      metadata: {
        title: 'Example Domain & friends',
        description: 'What is shown when the page is shared.',
        lang: 'en-GB',
      },
      registration: {
        registered: true,
        created: '1995-08-14T04:00:00Z',
        registrar: 'Example Registrar, Inc.',
      },
      meta: { warnings: [] },
    })
    expect(Object.keys(found.parts).sort()).toEqual([
      'dns-lookup',
      'email-auth',
      'tech-detect',
      'url-metadata',
      'whois-rdap',
    ])
    for (const part of Object.values(found.parts)) expect(part).toMatchObject({ ok: true, error: null })
  })

  test('shows its mail provider, its services and who runs its DNS', async () => {
    const name = domain({
      ...web,
      MX: [{ preference: 1, exchange: 'aspmx.l.google.com' }],
      NS: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
      TXT: [
        'v=spf1 include:_spf.google.com include:sendgrid.net -all',
        'google-site-verification=abc',
        'MS=ms12345678',
        'stripe-verification=xyz',
        'just a text',
      ],
    })
    expect(await intel(name)).toMatchObject({
      dns_provider: 'Cloudflare',
      mail: { provider: 'Google', mx: ['aspmx.l.google.com'] },
      services: ['Google', 'Microsoft 365', 'SendGrid', 'Stripe'],
      service_count: 4,
    })
  })

  test('shows what its site is made with', async () => {
    const name = domain(web)
    page(name, '<title>x</title><meta name=generator content="WordPress 6.4">', {
      server: 'nginx/1.24',
      'strict-transport-security': 'max-age=31536000',
    })
    const found = await intel(name)
    expect(found.web).toMatchObject({
      server: 'nginx',
      cms: 'WordPress',
      hsts: true,
      tech: ['WordPress', 'nginx', 'PHP'],
    })
    expect(codes(found)).not.toContain('no_hsts')
  })
})

describe('signals', () => {
  test('tell of a domain that anybody can send as', async () => {
    const name = domain({ ...web, MX: [{ preference: 1, exchange: 'mx1.example.com' }] })
    const found = await intel(name)
    expect(found.mail).toMatchObject({ spoofable: true, spf: null })
    expect(found.signals[0]).toMatchObject({ code: 'spoofable', severity: 'high' })
  })

  test('tell where only www has an address, and look there', async () => {
    const name = domain({ TXT: ['v=spf1 -all'] }, { www: web })
    page(`www.${name}`, '<title>At www</title>')
    const found = await intel(name)
    expect(found).toMatchObject({
      resolves: false,
      web: { url: `http://www.${name}/` },
      metadata: { title: 'At www' },
    })
    expect(codes(found)).toContain('www_only')
  })

  test('tell of a domain for mail only', async () => {
    const found = await intel(domain({ MX: [{ preference: 1, exchange: 'mx1.example.com' }] }))
    expect(found).toMatchObject({ exists: true, resolves: false, web: null, metadata: null })
    expect(codes(found)).toEqual(expect.arrayContaining(['mail_only', 'no_address']))
    expect(found.parts['tech-detect']).toBeUndefined()
  })

  test('tell of a domain that takes no mail', async () => {
    const found = await intel('quiet.example.net')
    expect(codes(found)).toContain('takes_no_mail')
    expect(codes(found)).not.toContain('spoofable')
  })

  test('tell of wildcards', async () => {
    const name = domain(web, { '*': web })
    const found = await intel(name)
    expect(found).toMatchObject({ wildcard: true })
    expect(codes(found)).toContain('wildcard_dns')
  })

  test.each([
    ['words in the title', {}, '<title>This domain is for sale | Market</title>', undefined],
    ['a name server', { NS: ['ns1.sedoparking.com'] }, '<title>x</title>', undefined],
    ['where it leads', {}, '', 'https://www.hugedomains.example.org/'],
  ])('tell of a parked domain by %s', async (_, records, body, location) => {
    const name = domain({ ...web, ...records })
    if (location) {
      internet().web.site('www.hugedomains.com', '/', { body: '<title>Buy</title>' })
      internet().web.site(name, '/', { status: 302, headers: { location: 'http://www.hugedomains.com/' } })
    } else page(name, body)
    expect(codes(await intel(name))).toContain('parked')
  })

  test('do not take a page about parking for a parked one', async () => {
    const name = domain(web)
    page(
      name,
      '<title>Car parking in Domain Street</title><meta name=description content="Park here. Domains for all.">',
    )
    expect(codes(await intel(name))).not.toContain('parked')
  })

  test('tell of https that fails, and read http', async () => {
    const name = 'plain-only.net'
    internet().web.site(name, '/', { body: '<title>Plain</title>' })
    const found = await intel(name)
    expect(found).toMatchObject({
      web: { https: false, url: `http://${name}/` },
      metadata: { title: 'Plain' },
    })
    expect(found.signals.find(({ code }) => code === 'https_fails')).toMatchObject({
      severity: 'high',
      text: expect.stringContaining('certificate'),
    })
  })

  test('tell of error pages, walls and other sites', async () => {
    const broken = domain(web)
    page(broken, 'x', {}, 500)
    expect(codes(await intel(broken))).toContain('web_error')
    const walled = domain(web)
    page(walled, 'x', { 'cf-mitigated': 'challenge' }, 403)
    const found = await intel(walled)
    expect(codes(found)).toContain('bot_wall')
    expect(codes(found)).not.toContain('web_error')
    const away = domain(web)
    internet().web.site(away, '/', { status: 301, headers: { location: 'https://example.com/' } })
    expect(codes(await intel(away))).toContain('leads_elsewhere')
  })
})
