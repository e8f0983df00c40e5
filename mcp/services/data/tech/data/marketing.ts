import type { Fingerprints } from '../fingerprint.ts'

/** Letters, leads and campaigns. */
export const marketing: Fingerprints = {
  HubSpot: {
    hosts: [
      'js.hs-scripts.com',
      'js.hsforms.net',
      'js.hs-analytics.net',
      'js-eu1.hs-scripts.com',
      'js.hs-banner.com',
    ],
    cookies: /^hubspotutk$|^__hs(?:tc|sc|src)$/,
  },
  Mailchimp: {
    hosts: ['chimpstatic.com', 'list-manage.com', 'cdn-images.mailchimp.com'],
    marks: ['#mc_embed_signup', '#mc_embed_shell'],
  },
  Klaviyo: { hosts: ['static.klaviyo.com', 'a.klaviyo.com'], inline: /\b_klOnsite\b/ },
  Marketo: {
    hosts: ['munchkin.marketo.net', 'app-sj.marketo.com'],
    cookies: /^_mkto_trk$/,
    files: /\/forms2\/js\/forms2(?:\.min)?\.js$/,
  },
  'Salesforce Account Engagement': {
    hosts: ['pi.pardot.com', 'go.pardot.com'],
    cookies: /^visitor_id\d+$/,
    inline: /\bpiAId\s*=/,
  },
  ActiveCampaign: { hosts: ['trackcmp.net', 'diffuser-cdn.app-us1.com'], inline: /\bvgo\(\s*['"]setAccount/ },
  Brevo: { hosts: ['sibautomation.com', 'sibforms.com', 'cdn.brevo.com'] },
  Kit: {
    hosts: ['f.convertkit.com', 'app.convertkit.com', 'f.kit.com', 'app.kit.com'],
    markLike: /^\.formkit-form$/m,
  },
  Drip: { hosts: ['tag.getdrip.com'] },
  Omnisend: { hosts: ['omnisnippet1.com', 'omnisrc.com'] },
  'Customer.io': { hosts: ['assets.customer.io', 'cdp.customer.io'] },
  Braze: { hosts: ['js.appboycdn.com'], inline: /\bbraze\.initialize\(/ },
  OneSignal: { hosts: ['cdn.onesignal.com'], inline: /\bOneSignal(?:Deferred)?\s*=\s*window\.OneSignal/ },
  Iterable: { hosts: ['js.iterable.com'] },
  GetResponse: { hosts: ['app.getresponse.com', 'us-an.gr-cdn.com', 'an.gr-wcon.com'] },
  MailerLite: {
    hosts: ['assets.mailerlite.com', 'static.mailerlite.com'],
    markLike: /^\.ml-embedded$|^\.ml-form-embedWrapper$/m,
  },
  OptinMonster: { hosts: ['a.omappapi.com', 'a.opmnstr.com'] },
  Privy: { hosts: ['widget.privy.com'] },
  Leadfeeder: { hosts: ['sc.lfeeder.com', 'lftracker.leadfeeder.com'] },
  Clearbit: { hosts: ['tag.clearbitscripts.com', 'x.clearbitjs.com'] },
  '6sense': { hosts: ['j.6sc.co'] },
  ZoomInfo: { hosts: ['js.zi-scripts.com', 'ws.zoominfo.com'] },
  Emarsys: { hosts: ['cdn.scarabresearch.com', 'static.scarabresearch.com'] },
  Bloomreach: { hosts: ['cdn.exponea.com'], inline: /\bexponea\.initialize\(/ },
  Attentive: { hosts: ['cdn.attn.tv'] },
  Unbounce: {
    headers: { 'x-unbounce-pageid': /^/ },
    hosts: ['builder-assets.unbounce.com'],
    cnames: ['unbouncepages.com'],
  },
  Instapage: { hosts: ['cdn.instapagemetrics.com', 'g.fastcdn.co'] },
}
