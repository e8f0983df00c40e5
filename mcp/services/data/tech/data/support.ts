import { any, type Fingerprints } from '../fingerprint.ts'

/** Talking with visitors. */
export const support: Fingerprints = {
  Intercom: {
    hosts: ['widget.intercom.io', 'js.intercomcdn.com'],
    inline: /\bintercomSettings\b/,
    cookies: /^intercom-(?:id|session|device-id)-/,
  },
  Zendesk: {
    hosts: ['static.zdassets.com', 'v2.zopim.com'],
    inline: /\bzESettings\b|\$zopim\b/,
    cnames: ['zendesk.com'],
  },
  Drift: { hosts: ['js.driftt.com'], inline: /\bdrift\.load\(/ },
  Crisp: { hosts: ['client.crisp.chat'], inline: /\bCRISP_WEBSITE_ID\b/ },
  'tawk.to': { hosts: ['embed.tawk.to'], inline: /\bTawk_API\b/ },
  LiveChat: { hosts: ['cdn.livechatinc.com'], inline: /\b__lc\.license\b/ },
  Tidio: { hosts: ['code.tidio.co'] },
  Olark: { hosts: ['static.olark.com'], inline: /\bolark\.identify\(/ },
  Freshworks: { hosts: ['wchat.freshchat.com', 'widget.freshworks.com', 'fw-cdn.com'] },
  'Help Scout': { hosts: ['beacon-v2.helpscout.net'], inline: /\bwindow\.Beacon\b/ },
  Gorgias: { hosts: ['config.gorgias.chat', 'client-builds.production.gorgias.chat'] },
  Chatwoot: { hosts: ['app.chatwoot.com'], inline: /\bchatwootSDK\.run\(/ },
  Userlike: { hosts: ['userlike-cdn-widgets.s3-eu-west-1.amazonaws.com'] },
  JivoChat: { hosts: ['code.jivosite.com', 'code.jivo.ru'] },
  'Zoho SalesIQ': {
    hosts: ['salesiq.zoho.com', 'salesiq.zoho.eu', 'salesiq.zohopublic.com'],
    inline: /\$zoho\.salesiq/,
  },
  Smartsupp: { hosts: ['www.smartsuppchat.com'], inline: /\b_smartsupp\b/ },
  LivePerson: { hosts: ['lptag.liveperson.net'], inline: /\blpTag\b/ },
  Trengo: { hosts: ['static.widget.trengo.eu'], inline: /\bwindow\.Trengo\b/ },
  Gladly: { hosts: ['cdn.gladly.com'] },
  Podium: { hosts: ['connect.podium.com'] },
  Kommunicate: { hosts: ['widget.kommunicate.io'] },
  UserVoice: { hosts: ['widget.uservoice.com'] },
  Front: { hosts: ['chat-assets.frontapp.com'] },
}

/** Who is there. */
export const auth: Fingerprints = {
  Auth0: {
    hosts: ['cdn.auth0.com', 'auth0.com'],
    cookies: /^auth0(?:_compat)?$/,
    files: /\/auth0(?:-spa)?-js[@/]/,
  },
  Clerk: {
    hosts: ['clerk.accounts.dev', 'clerk.com/npm'],
    files: /\/@clerk\/clerk-js@/,
    cookies: /^__client_uat/,
    headers: { 'x-clerk-auth-status': any, 'x-clerk-auth-reason': any },
  },
  Okta: {
    hosts: ['global.oktacdn.com', 'ok1static.oktacdn.com', 'okta.com'],
    files: /\/okta-(?:sign-in|auth-js)[^/]*\.js$/,
  },
  'Google Sign-In': {
    hosts: ['accounts.google.com/gsi', 'apis.google.com/js/platform.js'],
    metas: { 'google-signin-client_id': any },
  },
  'Sign in with Apple': { hosts: ['appleid.cdn-apple.com'], metas: { 'appleid-signin-client-id': any } },
  'Microsoft Entra': {
    hosts: ['login.microsoftonline.com', 'alcdn.msauth.net'],
    files: /\/msal-browser(?:[@.-]|\/)/,
  },
  'Amazon Cognito': { hosts: ['amazoncognito.com'], files: /\/amazon-cognito-identity[^/]*\.js$/ },
  Supabase: {
    hosts: ['supabase.co'],
    cookies: /^sb-[a-z]{20}-auth-token/,
    files: /\/@supabase\/supabase-js@/,
  },
  Firebase: {
    files: /\/firebasejs\/(\d+\.\d+\.\d+)\/|\/firebase-(?:app|auth)(?:-compat)?\.js$/,
    inline: /\bfirebase\.initializeApp\(/,
  },
  Keycloak: {
    cookies: /^(?:AUTH_SESSION_ID_LEGACY|KEYCLOAK_(?:SESSION|IDENTITY))$/,
    files: /\/(?:js\/)?keycloak(?:\.min)?\.js$/,
  },
  Memberstack: { hosts: ['static.memberstack.com'] },
  Outseta: { hosts: ['cdn.outseta.com'] },
  FusionAuth: { cookies: /^fusionauth\./ },
  'Cloudflare Access': { cookies: /^CF_(?:AppSession|Authorization)$/, hosts: ['cloudflareaccess.com'] },
  NextAuth: {
    cookies: /^(?:__Secure-|__Host-)?(?:next-auth|authjs)\.(?:session-token|csrf-token|callback-url)$/,
  },
  Stytch: { hosts: ['js.stytch.com'] },
  'Facebook Login': { inline: /\bFB\.login\(|fb:login-button/ },
}
