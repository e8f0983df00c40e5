import type { Fingerprints } from '../fingerprint.ts'

/** Advertising and the pixels that count for it. */
export const advertising: Fingerprints = {
  'Google Ads': {
    hosts: ['www.googleadservices.com', 'googleads.g.doubleclick.net'],
    pixels: ['www.google.com/pagead', 'googleads.g.doubleclick.net/pagead'],
    inline: /\bgtag\(\s*['"]config['"]\s*,\s*['"]AW-/,
    cookies: /^_gcl_(?:au|aw)$/,
  },
  'Google AdSense': { hosts: ['pagead2.googlesyndication.com'], marks: ['.adsbygoogle'] },
  'Google Ad Manager': {
    hosts: ['securepubads.g.doubleclick.net', 'www.googletagservices.com/tag/js'],
    inline: /\bgoogletag\.(?:cmd|defineSlot)/,
  },
  'Meta Pixel': {
    hosts: ['connect.facebook.net'],
    pixels: ['www.facebook.com/tr'],
    inline: /\bfbq\(\s*['"]init['"]/,
    cookies: /^_fbp$/,
  },
  'LinkedIn Insight Tag': {
    hosts: ['snap.licdn.com'],
    pixels: ['px.ads.linkedin.com', 'dc.ads.linkedin.com'],
    inline: /_linkedin_partner_id/,
  },
  'X Ads': {
    hosts: ['static.ads-twitter.com'],
    pixels: ['t.co/i/adsct', 'analytics.twitter.com/i/adsct'],
    inline: /\btwq\(\s*['"](?:init|config)['"]/,
  },
  'TikTok Pixel': { hosts: ['analytics.tiktok.com'], inline: /\bttq\.(?:load|page)\(/, cookies: /^_ttp$/ },
  'Pinterest Tag': {
    hosts: ['s.pinimg.com/ct'],
    pixels: ['ct.pinterest.com'],
    inline: /\bpintrk\(\s*['"]load['"]/,
    cookies: /^_pin_unauth$/,
  },
  'Snap Pixel': {
    hosts: ['sc-static.net/scevent.min.js'],
    inline: /\bsnaptr\(\s*['"]init['"]/,
    cookies: /^_scid(?:_r)?$/,
  },
  'Reddit Pixel': {
    hosts: ['www.redditstatic.com/ads'],
    inline: /\brdt\(\s*['"]init['"]/,
    cookies: /^_rdt_uuid$/,
  },
  'Microsoft Advertising': {
    hosts: ['bat.bing.com', 'bat.bing.net'],
    inline: /\buetq\b/,
    cookies: /^_uet(?:sid|vid)$/,
  },
  Criteo: { hosts: ['static.criteo.net', 'dynamic.criteo.com'], inline: /\bcriteo_q\b/ },
  Taboola: { hosts: ['cdn.taboola.com'], inline: /\b_taboola\b/ },
  Outbrain: { hosts: ['widgets.outbrain.com', 'amplify.outbrain.com'], inline: /\bobApi\b/ },
  'Amazon Ads': { hosts: ['c.amazon-adsystem.com', 's.amazon-adsystem.com'] },
  AdRoll: { hosts: ['s.adroll.com'], inline: /\badroll_adv_id\b/, cookies: /^__adroll/ },
  'The Trade Desk': { hosts: ['js.adsrvr.org'], pixels: ['insight.adsrvr.org'] },
  'Quora Pixel': { hosts: ['a.quora.com'], inline: /\bqp\(\s*['"]init['"]/ },
  Prebid: { files: /\/prebid[^/]*\.js$/, inline: /\bpbjs\.que\b/ },
  Ezoic: { hosts: ['go.ezodn.com', 'www.ezojs.com'], headers: { 'x-middleton-display': /^/ } },
  Mediavine: { hosts: ['scripts.mediavine.com'] },
  Raptive: { hosts: ['ads.adthrive.com'] },
  Awin: { hosts: ['www.dwin1.com'] },
  Impact: { hosts: ['utt.impactcdn.com'] },
  Rakuten: { hosts: ['tag.rmp.rakuten.com'] },
}

/** The same page in several versions, and switches for what is shown. */
export const abTesting: Fingerprints = {
  Optimizely: { hosts: ['cdn.optimizely.com'], cookies: /^optimizelyEndUserId$/ },
  VWO: { hosts: ['dev.visualwebsiteoptimizer.com'], cookies: /^_vwo_uuid/, inline: /\b_vwo_code\b/ },
  'AB Tasty': { hosts: ['try.abtasty.com'], cookies: /^ABTasty$/ },
  Convert: {
    hosts: ['cdn-4.convertexperiments.com', 'cdn-3.convertexperiments.com'],
    cookies: /^_conv_[vr]$/,
  },
  Kameleoon: { hosts: ['kameleoon.eu', 'kameleoon.com', 'kameleoon.io'], cookies: /^kameleoonVisitorCode$/ },
  LaunchDarkly: {
    hosts: ['app.launchdarkly.com', 'clientsdk.launchdarkly.com'],
    inline: /\bLDClient\.initialize\(/,
  },
  Statsig: { hosts: ['featuregates.org', 'api.statsig.com'] },
  GrowthBook: { hosts: ['cdn.growthbook.io'], cookies: /^gbuuid$/ },
  'Dynamic Yield': { hosts: ['cdn.dynamicyield.com', 'cdn-eu.dynamicyield.com'], cookies: /^_dyid$/ },
  Monetate: { hosts: ['se.monetate.net'] },
  'Adobe Target': {
    cookies: /^mbox$/,
    files: /\/at(?:-[\d.]+)?(?:\.min)?\.js$(?<=\/at\.js|\/at-[\d.]+(?:\.min)?\.js)/,
    hosts: ['tt.omtrdc.net'],
  },
  Mutiny: { hosts: ['client-registry.mutinycdn.com'] },
  Intellimize: { hosts: ['cdn.intellimize.co'] },
  'Google Optimize': { hosts: ['www.googleoptimize.com'], marks: ['.async-hide'] },
  Split: { hosts: ['cdn.split.io'] },
}
