import { any, type Fingerprints } from '../fingerprint.ts'

/** Places that make and keep a whole site. */
export const siteBuilder: Fingerprints = {
  Wix: {
    headers: { 'x-wix-request-id': any, server: /^Pepyaka/i },
    generator: /^Wix\.com/,
    hosts: ['static.parastorage.com'],
    cnames: ['wixdns.net'],
    addresses: ['185.230.63.107', '185.230.63.171', '185.230.63.186'],
  },
  Squarespace: {
    headers: { server: /^Squarespace$/i },
    hosts: ['assets.squarespace.com', 'static1.squarespace.com'],
    inline: /Static\.SQUARESPACE_CONTEXT/,
    cnames: ['squarespace.com'],
    addresses: ['198.185.159.144', '198.185.159.145', '198.49.23.144', '198.49.23.145'],
  },
  Webflow: {
    generator: /^Webflow/,
    marks: ['[data-wf-site]', '[data-wf-page]'],
    cnames: ['webflow.com'],
    addresses: ['75.2.70.75', '99.83.190.102'],
    weak: { hosts: ['website-files.com'] },
  },
  Weebly: {
    headers: { 'x-host': /\.weebly\.net$/ },
    hosts: ['cdn2.editmysite.com'],
    inline: /_W\.configDomain/,
  },
  Duda: {
    hosts: ['irp.cdn-website.com', 'lirp.cdn-website.com', 'dd-cdn.multiscreensite.com'],
    inline: /window\.Parameters\s*=\s*window\.Parameters/,
  },
  Jimdo: {
    headers: { 'x-jimdo-instance': any, 'x-jimdo-wid': any },
    hosts: ['assets.jimstatic.com'],
    cnames: ['jimdo.com'],
  },
  Framer: {
    generator: /^Framer/,
    headers: { server: /^Framer\//i },
    hosts: ['framerusercontent.com'],
    marks: ['[data-framer-hydrate-v2]'],
  },
  Tilda: { hosts: ['static.tildacdn.com', 'tilda.ws'], generator: /^Tilda/, marks: ['#allrecords'] },
  Carrd: { hosts: ['carrd.co'], weak: { inline: /carrd\.co/ } },
  Strikingly: { hosts: ['static-assets.strikinglycdn.com'] },
  'Google Sites': { hosts: ['sites.google.com'], metas: { 'og:url': /^https:\/\/sites\.google\.com\// } },
  Blogger: { generator: /^blogger$/i, hosts: ['www.blogger.com/static'], cnames: ['ghs.google.com'] },
  Tumblr: { headers: { 'x-tumblr-user': any }, hosts: ['assets.tumblr.com'], cnames: ['domains.tumblr.com'] },
  Medium: { generator: /^Medium$/, headers: { 'x-powered-by': /^Medium$/i, 'medium-fulfilled-by': any } },
  Substack: {
    headers: { 'x-powered-by': /^Substack$/i, 'x-sub': any },
    hosts: ['substackcdn.com'],
    cookies: /^substack\.(?:sid|lli)$/,
  },
  Beehiiv: { hosts: ['media.beehiiv.com'], weak: { inline: /beehiiv\.com/ } },
}
