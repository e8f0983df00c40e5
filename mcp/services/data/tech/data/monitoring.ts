import { any, type Fingerprints } from '../fingerprint.ts'

/** What loads the other scripts. */
export const tagManager: Fingerprints = {
  'Google Tag Manager': {
    hosts: ['www.googletagmanager.com/gtm.js', 'www.googletagmanager.com/ns.html'],
    inline: /googletagmanager\.com\/gtm\.js|['"]GTM-[A-Z0-9]{4,9}['"]/,
  },
  'Adobe Experience Platform Launch': {
    hosts: ['assets.adobedtm.com'],
    inline: /\b_satellite\.pageBottom\(/,
  },
  Tealium: { hosts: ['tags.tiqcdn.com'], inline: /\butag_data\b/, cookies: /^utag_main$/ },
  Ensighten: { hosts: ['nexus.ensighten.com'] },
  'Commanders Act': { hosts: ['cdn.tagcommander.com'], cookies: /^TCPID$|^tc_cj_/ },
  'Matomo Tag Manager': { files: /\/container_[A-Za-z0-9]{8}\.js$/, inline: /_mtm\.push\(/ },
  'Cloudflare Zaraz': { files: /\/cdn-cgi\/zaraz\//, inline: /\bzaraz\.(?:init|track|set)\b/ },
  Relay42: { hosts: ['tdn.r42tag.com'] },
  Stape: { hosts: ['stape.io'], weak: { hosts: ['stape.net'] } },
}

/** Errors and speed as visitors meet them. */
export const monitoring: Fingerprints = {
  Sentry: {
    hosts: ['browser.sentry-cdn.com', 'js.sentry-cdn.com'],
    inline: /\bSentry\.init\(/,
    metas: { 'sentry-trace': any },
  },
  'New Relic': {
    hosts: ['js-agent.newrelic.com'],
    inline: /\bNREUM\b/,
    headers: { 'x-newrelic-app-data': any },
  },
  'Datadog RUM': { hosts: ['www.datadoghq-browser-agent.com'], inline: /\bDD_RUM\b/, cookies: /^_dd_s$/ },
  Bugsnag: {
    hosts: ['d2wy8f7a9ursnm.cloudfront.net'],
    files: /\/bugsnag(?:@|[.-])/,
    inline: /\b[Bb]ugsnag\.start\(/,
  },
  Rollbar: { inline: /\b_rollbarConfig\b/, hosts: ['cdn.rollbar.com'] },
  Dynatrace: {
    files: /\/ruxitagentjs_/,
    cookies: /^(?:dtCookie|rxVisitor|dtPC)$/,
    hosts: ['js-cdn.dynatrace.com'],
  },
  AppDynamics: { hosts: ['cdn.appdynamics.com'], inline: /\badrum-start-time\b/, headers: { adrum_0: any } },
  SpeedCurve: { hosts: ['cdn.speedcurve.com'], inline: /\bLUX\s*=/ },
  Raygun: { hosts: ['cdn.raygun.io'] },
  TrackJS: { hosts: ['cdn.trackjs.com'] },
  Honeybadger: { hosts: ['js.honeybadger.io'] },
  'Elastic APM': { inline: /\belasticApm\.init\(/ },
  'Akamai mPulse': { hosts: ['c.go-mpulse.net', 's.go-mpulse.net'] },
}
