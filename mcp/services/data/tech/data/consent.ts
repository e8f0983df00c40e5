import { any, type Fingerprints } from '../fingerprint.ts'

/** Consent to cookies. */
export const consent: Fingerprints = {
  OneTrust: {
    hosts: ['cdn.cookielaw.org', 'optanon.blob.core.windows.net'],
    cookies: /^Optanon(?:Consent|AlertBoxClosed)$/,
    marks: ['#onetrust-consent-sdk'],
  },
  Cookiebot: {
    hosts: ['consent.cookiebot.com', 'consentcdn.cookiebot.com', 'consent.cookiebot.eu'],
    cookies: /^CookieConsent$/,
    marks: ['#Cookiebot'],
  },
  CookieYes: { hosts: ['cdn-cookieyes.com'], cookies: /^cookieyes-consent$/ },
  Didomi: { hosts: ['sdk.privacy-center.org'], inline: /\bdidomiOnReady\b/ },
  TrustArc: { hosts: ['consent.trustarc.com', 'consent.truste.com'] },
  Usercentrics: { hosts: ['app.usercentrics.eu', 'web.cmp.usercentrics.eu'], marks: ['#usercentrics-root'] },
  Osano: { hosts: ['cmp.osano.com'] },
  iubenda: { hosts: ['cdn.iubenda.com', 'cs.iubenda.com', 'embeds.iubenda.com'], inline: /\b_iub\b/ },
  Complianz: {
    paths: /\/wp-content\/plugins\/complianz-gdpr(?:-premium)?\//,
    marks: ['#cmplz-cookiebanner-container'],
    implies: ['WordPress'],
  },
  Borlabs: { paths: /\/wp-content\/plugins\/borlabs-cookie\//, implies: ['WordPress'] },
  Klaro: { hosts: ['cdn.kiprotect.com/klaro'], files: /\/klaro[^/]*\.js$/ },
  Axeptio: { hosts: ['static.axept.io'], inline: /\baxeptioSettings\b/ },
  Sourcepoint: { hosts: ['cdn.privacy-mgmt.com'], inline: /\b_sp_\.config\b/ },
  Termly: { hosts: ['app.termly.io'] },
  'tarteaucitron.js': { files: /\/tarteaucitron[^/]*\.js$/, inline: /\btarteaucitron\.init\(/ },
  'Quantcast Choice': { hosts: ['cmp.quantcast.com', 'quantcast.mgr.consensu.org'] },
  consentmanager: { hosts: ['cdn.consentmanager.net', 'delivery.consentmanager.net'] },
  CookieFirst: { hosts: ['consent.cookiefirst.com'] },
  CookieScript: { hosts: ['cdn.cookie-script.com', 'cookie-script.com'] },
  Ketch: { hosts: ['global.ketchcdn.com'] },
  Transcend: { hosts: ['transcend-cdn.com'] },
  'Cookie Consent': { files: /\/cookieconsent(?:[.@/-]|$)/, marks: ['.cc-window'] },
}

/** Keeping robots and attackers out. */
export const security: Fingerprints = {
  reCAPTCHA: {
    hosts: ['www.google.com/recaptcha', 'www.recaptcha.net/recaptcha', 'www.gstatic.com/recaptcha'],
    marks: ['.g-recaptcha'],
  },
  hCaptcha: { hosts: ['hcaptcha.com', 'js.hcaptcha.com'], marks: ['.h-captcha'] },
  'Cloudflare Turnstile': { hosts: ['challenges.cloudflare.com/turnstile'], marks: ['.cf-turnstile'] },
  'Cloudflare Bot Management': { headers: { 'cf-mitigated': any }, cookies: /^(?:__cf_bm|cf_clearance)$/ },
  DataDome: {
    headers: { 'x-datadome': any, 'x-dd-b': any },
    cookies: /^datadome$/,
    hosts: ['js.datadome.co', 'ct.captcha-delivery.com'],
  },
  HUMAN: { cookies: /^_px(?:3|hd|vid|de)?$/, hosts: ['client.perimeterx.net', 'client.px-cloud.net'] },
  Kasada: { headers: { 'x-kpsdk-ct': any, 'x-kpsdk-cd': any } },
  'Akamai Bot Manager': { cookies: /^(?:_abck|bm_sz|ak_bmsc)$/ },
  'Friendly Captcha': { files: /\/friendly-?challenge[@/]/, marks: ['.frc-captcha'] },
  Wordfence: {
    cookies: /^wfvt_|^wordfence_verifiedHuman$/,
    paths: /\/wp-content\/plugins\/wordfence\//,
    implies: ['WordPress'],
  },
  'AWS WAF': { cookies: /^aws-waf-token$/, headers: { 'x-amzn-waf-action': any } },
  ModSecurity: { headers: { server: /\bmod_security\b(?:\/([\d.]+))?/i } },
  'Queue-it': { cookies: /^QueueITAccepted/, hosts: ['static.queue-it.net'] },
  ALTCHA: { marks: ['<altcha-widget>'] },
  Anubis: { marks: ['#anubis_challenge', '#anubis_version'] },
}
