import { describe, expect, test } from 'vitest'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

type Technology = {
  name: string
  category: string
  version: string | null
  confidence: number
  evidence: string[]
}
type Detected = {
  technologies: Technology[]
  count: number
  meta: { warnings: { code: string }[]; truncated: boolean }
  [field: string]: unknown
}

const detect = async (url: string) => (await data.ask('tech-detect', { url })) as unknown as Detected

const names = ({ technologies }: Detected) => technologies.map(({ name }) => name)
const one = ({ technologies }: Detected, name: string) => technologies.find(found => found.name === name)

let hosts = 0
type Headers = Record<string, string | string[]>
const serve = (body: string, headers: Headers = {}, host = `tech-${++hosts}.example.org`, status = 200) => {
  data.internet.web.site(host, '/', { status, headers: { 'content-type': 'text/html', ...headers }, body })
  return `http://${host}/`
}

const ofPage = async (body: string) => names(await detect(serve(body)))
const ofHeaders = async (headers: Headers) => names(await detect(serve('<p>x', headers)))

describe('a shop', () => {
  test('is told by name, version, confidence and evidence, and by what people ask for', async () => {
    const found = await detect('http://shop.example.com/')
    expect(found).toMatchObject({
      skill: 'tech-detect',
      final_url: 'http://shop.example.com/',
      status: 200,
      server: null,
      cdn: 'Cloudflare',
      hosting: null,
      framework: null,
      cms: 'WordPress',
      ecommerce: 'WooCommerce',
      analytics: ['Google Analytics'],
      payments: ['Stripe'],
      tag_managers: ['Google Tag Manager'],
      languages: ['PHP'],
      meta: { warnings: [], truncated: false },
    })
    expect(found.count).toBe(found.technologies.length)
    expect(one(found, 'WordPress')).toMatchObject({ category: 'cms', version: '6.4.2', confidence: 100 })
    expect(one(found, 'WooCommerce')).toMatchObject({ category: 'ecommerce', version: '8.5.1' })
    expect(one(found, 'PHP')).toMatchObject({ version: '8.2.14' })
    expect(one(found, 'jQuery')).toMatchObject({
      version: '3.7.1',
      evidence: ['file /wp-includes/js/jquery/jquery.min.js'],
    })
    expect(one(found, 'Stripe')?.evidence).toEqual(['host js.stripe.com'])
    expect(names(found)).toContain('Google Fonts')
    const order = found.technologies.map(({ confidence }) => confidence)
    expect(order).toEqual([...order].sort((a, b) => b - a))
  })
})

describe('headers', () => {
  test.each<[string[], Headers]>([
    [['nginx', 'Ubuntu'], { server: 'nginx/1.18.0 (Ubuntu)' }],
    [['Apache HTTP Server', 'Debian', 'PHP'], { server: 'Apache/2.4.57 (Debian) PHP/8.1.2' }],
    [['Apache Tomcat', 'Java'], { server: 'Apache-Coyote/1.1' }],
    [
      ['Microsoft IIS', 'ASP.NET', 'C#', 'Windows Server'],
      { server: 'Microsoft-IIS/10.0', 'x-aspnet-version': '4.0.30319' },
    ],
    [['OpenResty', 'nginx', 'Lua'], { server: 'openresty/1.21.4.1' }],
    [
      ['Amazon CloudFront', 'Amazon S3', 'Amazon Web Services'],
      { server: 'AmazonS3', via: '1.1 abc.cloudfront.net (CloudFront)', 'x-amz-cf-id': 'x' },
    ],
    [
      ['Vercel', 'Next.js', 'React', 'Node.js'],
      { server: 'Vercel', 'x-vercel-id': 'fra1::x', 'x-powered-by': 'Next.js' },
    ],
    [['Fastly', 'Varnish'], { via: '1.1 varnish', 'x-served-by': 'cache-ams21034-AMS', 'x-varnish': '1 2' }],
    [['WordPress', 'PHP'], { link: '<https://x.example/wp-json/>; rel="https://api.w.org/"' }],
    [
      ['Ruby on Rails', 'Ruby'],
      { 'x-runtime': '0.012345', 'x-request-id': 'a1b2c3d4-1234-5678-9abc-def012345678' },
    ],
    [['x402'], { 'payment-required': 'eyJ4NDAy' }],
  ])('tell %j', async (expected, headers) => {
    const found = await ofHeaders(headers)
    expect(found.sort()).toEqual([...expected].sort())
  })

  test('give the version of the server, and none for a word', async () => {
    expect(one(await detect(serve('x', { server: 'nginx/1.18.0' })), 'nginx')?.version).toBe('1.18.0')
    expect(one(await detect(serve('x', { server: 'nginx/next' })), 'nginx')?.version).toBeNull()
  })

  test('that a network rewrites leave the server unknown', async () => {
    expect(await detect(serve('x', { server: 'cloudflare', 'cf-ray': '1' }))).toMatchObject({
      server: null,
      cdn: 'Cloudflare',
    })
  })

  test('of several networks name them all, the surest first', async () => {
    const found = await detect(
      serve('x', { 'cf-ray': '1', 'cf-cache-status': 'HIT', server: 'cloudflare', 'x-amz-cf-id': 'x' }),
    )
    expect(found.cdn).toBe('Cloudflare')
    expect(names(found)).toEqual(expect.arrayContaining(['Cloudflare', 'Amazon CloudFront']))
  })
})

describe('cookies', () => {
  test.each<[string, string]>([
    ['PHP', 'PHPSESSID=1'],
    ['Java', 'JSESSIONID=1'],
    ['ASP.NET', 'ASP.NET_SessionId=1'],
    ['Laravel', 'laravel_session=1'],
    ['Shopify', '_shopify_y=1'],
    ['Magento', 'mage-cache-sessid=1'],
    ['Amazon Web Services', 'AWSALB=1'],
    ['DataDome', 'datadome=1'],
  ])('tell %s', async (name, cookie) => {
    const found = await detect(serve('x', { 'set-cookie': `${cookie}; Path=/` }))
    expect(names(found)).toContain(name)
    expect(JSON.stringify(found)).not.toContain('=1')
  })

  test('of a hop before count on the same host only', async () => {
    const last = serve('<p>x')
    const host = new URL(last).hostname
    data.internet.web.site(host, '/start', {
      status: 302,
      headers: { location: '/', 'set-cookie': 'PHPSESSID=1' },
    })
    expect(names(await detect(`http://${host}/start`))).toContain('PHP')
    const away = serve('', { location: last, 'set-cookie': 'PHPSESSID=1' }, 'tech-away.example.org', 302)
    expect(names(await detect(away))).not.toContain('PHP')
  })
})

describe('one weak hint', () => {
  test.each([
    ['an image of a shop', '<img src="https://cdn.shopify.com/s/files/1/x.png">', 'Shopify'],
    ['a link to a payment page', '<a href="https://www.paypal.com/sdk/js">Pay</a>', 'PayPal'],
    ['a preconnect', '<link rel=preconnect href="https://js.stripe.com">', 'Stripe'],
    ['a common id', '<div id=root></div>', 'React'],
    [
      'a script of another site with its paths',
      '<script src="https://blog.example.com/wp-content/x.js"></script>',
      'WordPress',
    ],
    ['a word in the text', '<p>We use Shopify.theme and gtag("config", "G-1") and wp-content', 'Shopify'],
    ['a class', '<div class="container-fluid">', 'Bootstrap'],
    ['a file that only has the name', '<script src="/js/chart.js"></script>', 'Chart.js'],
    [
      'a host that ends alike',
      '<script src="https://notjs.stripe.com.example.net/v3/"></script><script src="https://xjs.stripe.com.evil.example/"></script>',
      'Stripe',
    ],
    ['a page in PHP', '<img src=/x.php>', 'PHP'],
  ])('claims nothing: %s', async (_, body, name) => expect(await ofPage(body)).not.toContain(name))

  test('claims something with another, less surely', async () => {
    const found = await detect(serve('<div class="container-fluid"><div class="col-md-6">x'))
    expect(one(found, 'Bootstrap')).toMatchObject({
      confidence: 58,
      evidence: ['markup .container-fluid', 'markup .col-md-6'],
    })
  })
})

describe('what is implied', () => {
  test('is told, less surely, with why', async () => {
    const found = await detect(serve('<meta name=generator content="WordPress 6.4.2">'))
    expect(one(found, 'PHP')).toMatchObject({ version: null, evidence: ['implied by WordPress'] })
    expect(one(found, 'PHP')?.confidence).toBeLessThan(one(found, 'WordPress')?.confidence ?? 0)
  })
})

describe('the DNS', () => {
  test('tells the hosting by alias, address and the network by name server', async () => {
    const { zone } = data.internet.dns
    zone.set('app.alias.example.org', { CNAME: ['shop.netlify.app'] })
    zone.set('shop.netlify.app', { A: ['93.184.216.34'] })
    const url = serve('x', {}, 'app.alias.example.org')
    expect(await detect(url)).toMatchObject({
      hosting: 'Netlify',
      technologies: [{ evidence: ['alias shop.netlify.app'] }],
    })
    zone.set('ns.example.org', { ...(zone.get('example.org') as object) })
    zone.set('example.org', { ...(zone.get('example.org') as object), NS: ['ada.ns.cloudflare.com'] })
    expect(names(await detect(serve('x')))).not.toContain('Cloudflare')
    zone.set('example.org', { ...(zone.get('ns.example.org') as object) })
  })

  test('that fails leaves the rest', async () => {
    const url = serve('x', { server: 'nginx' })
    data.internet.dns.zone.set('example.org', 'SERVFAIL')
    expect(await detect(url)).toMatchObject({ server: 'nginx' })
  })
})

describe('pages', () => {
  test('of a challenge tell nothing of the site behind it', async () => {
    const found = await detect(
      serve(
        '<script src="https://js.stripe.com/v3/"></script>',
        { server: 'cloudflare', 'cf-ray': '1', 'cf-mitigated': 'challenge' },
        undefined,
        403,
      ),
    )
    expect(found).toMatchObject({ cdn: 'Cloudflare', payments: [], status: 403 })
    expect(found.meta.warnings).toMatchObject([{ code: 'bot_wall' }])
  })

  test('that scripts draw are told, with what their paths say', async () => {
    const found = await detect(
      serve('<div id="__next"></div><script src="/_next/static/chunks/main-abc.js"></script>'),
    )
    expect(found).toMatchObject({ framework: 'Next.js', languages: ['Node.js'] })
    expect(found.meta.warnings).toMatchObject([{ code: 'drawn_by_scripts' }])
  })

  test('that are none are known by their headers', async () => {
    const found = await detect(serve('{}', { 'content-type': 'application/json', 'x-powered-by': 'Express' }))
    expect(found).toMatchObject({ framework: 'Express', languages: ['Node.js'] })
  })

  test('with nothing to see have empty lists and nulls', async () => {
    expect(await detect(serve('<p>x'))).toMatchObject({
      technologies: [],
      count: 0,
      server: null,
      cdn: null,
      hosting: null,
      framework: null,
      cms: null,
      ecommerce: null,
      analytics: [],
      payments: [],
      tag_managers: [],
      languages: [],
    })
  })

  test('of errors are read with a warning', async () => {
    const found = await detect(serve('x', { server: 'nginx' }, undefined, 500))
    expect(found).toMatchObject({
      status: 500,
      server: 'nginx',
      meta: { warnings: [{ code: 'http_error' }] },
    })
  })

  test('that are hostile are read as far as they can be', async () => {
    const scripts = Array.from({ length: 20_000 }, (_, i) => `<script src=/a${i}></script>`).join('')
    const found = await detect(
      serve(`<meta name=generator content="Hugo 0.121.1">${scripts}`, { server: 'nginx' }),
    )
    expect(found).toMatchObject({ server: 'nginx' })
    const deep = await detect(serve('<div>'.repeat(100_000), { server: 'nginx' }))
    expect(deep).toMatchObject({ server: 'nginx', meta: { truncated: true } })
  })
})

test('refuses what is not visited and is sorry for what is down', async () => {
  expect((await refused(detect('http://127.0.0.1/'))).code).toBe('invalid_input')
  data.internet.dns.zone.set('down.tech.example.net', { A: ['93.184.216.99'] })
  expect((await refused(detect('http://down.tech.example.net/'))).toProblem()).toMatchObject({
    code: 'upstream',
    retryable: true,
  })
})
