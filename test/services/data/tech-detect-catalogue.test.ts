import { describe, expect, test } from 'vitest'
import { parsePage } from '../../../mcp/lib/page/parse-page.ts'
import { catalogue } from '../../../mcp/services/data/tech/catalogue.ts'
import { inNames } from '../../../mcp/services/data/tech/names.ts'
import { fingerprints } from '../../../mcp/services/data/tech/page.ts'
import { weighEvidence } from '../../../mcp/services/data/tech/score-evidence.ts'

const read = async (markup: string, url = 'https://www.example.com/') => {
  const { document } = await parsePage(markup)
  const { evidence } = await fingerprints.read({ document, url, status: 200, headers: {}, markup }, undefined)
  return weighEvidence(evidence)
}

const script = (src: string) => `<script src="${src}"></script>`

const { byName, leads } = catalogue()

describe('the catalogue', () => {
  test('knows more than 1,100 technologies, each once', () => {
    expect(byName.size).toBeGreaterThan(1100)
    expect(leads.filter(({ weak }) => !weak)).toHaveLength(byName.size)
  })

  test('implies only what it knows', () => {
    const unknown = [...byName.values()].flatMap(({ implies }) => implies).filter(name => !byName.has(name))
    expect(unknown).toEqual([])
  })

  test('has hints for what nothing implies', () => {
    const implied = new Set([...byName.values()].flatMap(({ implies }) => implies))
    const bare = [...byName.values()].filter(
      ({ name, leads }) => leads.every(({ hints }) => Object.keys(hints).length === 0) && !implied.has(name),
    )
    expect(bare).toEqual([])
  })

  test('writes hosts, headers and marks as they are compared', () => {
    for (const { name, hints } of leads) {
      for (const host of [
        ...(hints.hosts ?? []),
        ...(hints.pixels ?? []),
        ...(hints.cnames ?? []),
        ...(hints.ns ?? []),
      ])
        expect(host, name).toMatch(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:\/\S*)?$/)
      for (const header of Object.keys(hints.headers ?? {})) expect(header, name).toMatch(/^[a-z0-9_-]+$/)
      for (const mark of hints.marks ?? [])
        expect(mark, name).toMatch(/^(?:[#.]\S+|\[[^\]]+\]|<[a-z0-9-]+>)$/)
    }
  })

  test('has no pattern that a hostile page makes slow', () => {
    const hostile = [
      'a'.repeat(20_000),
      '/jquery-'.repeat(2500),
      '.min'.repeat(5000),
      '1.'.repeat(10_000),
      ' '.repeat(20_000),
      "gtag('".repeat(3000),
      '[data-'.repeat(3000),
      'window.'.repeat(3000),
    ]
    const patterns = leads.flatMap(({ hints }) => [
      ...[hints.files, hints.paths, hints.inline, hints.markLike, hints.generator, hints.cookies].filter(
        one => one !== undefined,
      ),
      ...Object.values(hints.headers ?? {}),
      ...Object.values(hints.metas ?? {}),
      ...Object.values(hints.attributes ?? {}),
    ])
    expect(patterns.length).toBeGreaterThan(500)
    const slow = patterns.filter(pattern => {
      const began = process.cpuUsage().user
      for (const text of hostile) pattern.exec(text)
      return process.cpuUsage().user - began > 500_000
    })
    expect(slow).toEqual([])
  })
})

describe('libraries have versions', () => {
  test.each([
    ['jQuery', '3.7.1', 'https://code.jquery.com/jquery-3.7.1.min.js'],
    ['jQuery', '3.6.0', 'https://ajax.googleapis.com/ajax/libs/jquery/3.6.0/jquery.min.js'],
    ['jQuery', '2.2.4', '/js/jquery.min.js?v=2.2.4'],
    ['jQuery', null, '/js/jquery.js'],
    ['jQuery', '3.5.1', 'https://cdn.jsdelivr.net/npm/jquery@3.5.1/dist/jquery.slim.min.js'],
    ['jQuery UI', '1.13.2', 'https://code.jquery.com/ui/1.13.2/jquery-ui.min.js?ver=1.13.2'],
    ['React', '18.2.0', 'https://unpkg.com/react-dom@18.2.0/umd/react-dom.production.min.js'],
    ['Vue.js', '3', 'https://unpkg.com/vue@3/dist/vue.global.js'],
    ['AngularJS', '1.8.2', 'https://ajax.googleapis.com/ajax/libs/angularjs/1.8.2/angular.min.js'],
    ['Bootstrap', '5.3.2', 'https://cdn.jsdelivr.net/npm/bootstrap@5.3.2/dist/js/bootstrap.bundle.min.js'],
    ['Bootstrap', '4.6.0', 'https://stackpath.bootstrapcdn.com/bootstrap/4.6.0/js/bootstrap.min.js'],
    ['Lodash', '4.17.21', 'https://cdnjs.cloudflare.com/ajax/libs/lodash.js/4.17.21/lodash.min.js'],
    ['htmx', '1.9.10', 'https://unpkg.com/htmx.org@1.9.10'],
    ['Three.js', '0.150.1', 'https://unpkg.com/three@0.150.1/build/three.min.js'],
    ['Firebase', '9.22.0', 'https://www.gstatic.com/firebasejs/9.22.0/firebase-app.js'],
  ])('%s %s at %s', async (name, version, src) => {
    expect((await read(script(src))).find(found => found.name === name)).toMatchObject({ version })
  })

  test.each([
    '/assets/my-jquery-plugin.js',
    '/jqueryfoo.js',
    '/js/three.js',
    '/js/reveal.js',
    '/animate.css',
    '/reactive.js',
    '/video.js',
    '/js/choices.js',
    '/js/sortable.js',
    '/assets/index-products.js',
    '/video/32246206',
    '/sp.js',
  ])('and %s is none', async src => expect(await read(script(src))).toEqual([]))
})

describe('pages tell', () => {
  test.each([
    ['Drupal', '<meta name=Generator content="Drupal 10 (https://www.drupal.org)">'],
    ['Joomla', '<script type="application/json" class="joomla-script-options new">{}</script>'],
    ['TYPO3', script('/typo3temp/assets/a.js')],
    ['Ghost', '<meta name=generator content="Ghost 5.75">'],
    ['Wix', script('https://static.parastorage.com/services/x.js')],
    ['Squarespace', '<script>Static.SQUARESPACE_CONTEXT = {}</script>'],
    ['Webflow', '<html data-wf-page=1 data-wf-site=2>'],
    ['HubSpot', script('//js.hs-scripts.com/123.js')],
    ['Angular', '<app-root ng-version="17.0.1"></app-root>'],
    ['AngularJS', '<div ng-app="x">'],
    ['Vue.js', '<p data-v-7ba5bd90>x'],
    ['Svelte', '<p class="svelte-1a2b3c4">x'],
    ['Nuxt', '<div id=__nuxt></div>'],
    ['SvelteKit', '<link rel=modulepreload href="/_app/immutable/entry/start.js">'],
    ['Astro', '<astro-island uid=x></astro-island>'],
    ['Gatsby', '<div id=___gatsby></div>'],
    ['ASP.NET', '<input type=hidden name=__VIEWSTATE id=__VIEWSTATE>'],
    ['Django', '<form><input name=csrfmiddlewaretoken></form>'],
    ['Ruby on Rails', '<meta name=csrf-param content=authenticity_token>'],
    ['Livewire', '<div wire:id=abc>'],
    ['Phoenix', '<div data-phx-main data-phx-session=x>'],
    ['Tailwind CSS', '<p class="md:flex hover:bg-blue-500">x'],
    ['MUI', '<div class="MuiBox-root css-0">'],
    ['Matomo', "<script>_paq.push(['setTrackerUrl', u+'matomo.php'])</script>"],
    ['Google Analytics', "<script>gtag('config', 'G-ABC')</script>"],
    ['Google Ads', "<script>gtag('config', 'AW-123')</script>"],
    [
      'Google Tag Manager',
      '<noscript><iframe src="https://www.googletagmanager.com/ns.html?id=GTM-X"></iframe></noscript>',
    ],
    ['Meta Pixel', '<noscript><img src="https://www.facebook.com/tr?id=1&ev=PageView"></noscript>'],
    ['Hotjar', '<script>h._hjSettings={hjid:1}</script>'],
    ['PayPal', script('https://www.paypal.com/sdk/js?client-id=x')],
    ['Mollie', script('https://js.mollie.com/v1/mollie.js')],
    ['Klarna', '<klarna-placement></klarna-placement>'],
    ['Intercom', '<script>window.intercomSettings={}</script>'],
    ['Auth0', script('https://cdn.auth0.com/js/lock/12.0/lock.min.js')],
    ['Optimizely', script('https://cdn.optimizely.com/js/1.js')],
    ['OneTrust', script('https://cdn.cookielaw.org/scripttemplates/otSDKStub.js')],
    ['reCAPTCHA', '<div class="g-recaptcha"></div>'],
    ['Google Maps', '<iframe src="https://www.google.com/maps/embed?pb=x"></iframe>'],
    ['Mailchimp', '<form action="https://x.us1.list-manage.com/subscribe/post"></form>'],
    ['Cloudinary', '<img src="https://res.cloudinary.com/x/image/upload/a.png">'],
    ['Docusaurus', '<meta name=generator content="Docusaurus v3.0.1">'],
    ['Yoast SEO', '<script type="application/ld+json" class="yoast-schema-graph">{}</script>'],
    ['Adobe Fonts', '<link rel=stylesheet href="https://use.typekit.net/abc.css">'],
    ['Cloudflare Turnstile', '<div class="cf-turnstile"></div>'],
    ['webpack', '<script>(self.webpackChunkapp=self.webpackChunkapp||[]).push([[1],{}])</script>'],
    ['Vite', '<script type=module crossorigin src="/assets/index-DvX8k3aQ.js"></script>'],
    [
      'Hello Elementor',
      '<link rel=stylesheet href="/wp-content/themes/hello-elementor/style.min.css?ver=3.1">',
    ],
    ['FullCalendar', script('https://cdn.jsdelivr.net/npm/fullcalendar@6.1.11/index.global.min.js')],
  ])('%s', async (name, markup) => {
    const found = (await read(markup)).find(one => one.name === name)
    expect(found?.confidence).toBeGreaterThanOrEqual(80)
    expect(found?.evidence.length).toBeGreaterThan(0)
  })

  test('nothing of scripts that are data, of links, or of what text says', async () => {
    expect(
      await read(
        '<script type="application/json">{"a":"fbq(\'init\'"}</script><a href="https://js.stripe.com/v3">x</a><p>gtag("config","G-1") wp-content',
      ),
    ).toEqual([])
  })
})

test('whole labels count in names', () => {
  const names = {
    aliases: ['x.notcloudfront.net', 'cloudfront.net.example.org'],
    addresses: ['185.199.108.15'],
    nameServers: [],
  }
  expect(weighEvidence(inNames(names))).toEqual([])
  const known = {
    aliases: ['d1.cloudfront.net'],
    addresses: ['185.199.108.153'],
    nameServers: ['ada.ns.cloudflare.com'],
  }
  expect(weighEvidence(inNames(known)).map(({ name }) => name)).toEqual(['Amazon CloudFront', 'GitHub Pages'])
})
