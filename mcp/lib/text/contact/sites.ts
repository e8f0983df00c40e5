import { parse } from 'tldts'

const split = (text: string): Set<string> => new Set(text.split(/\s+/).filter(word => word !== ''))

/** Sites and technologies that offers name without offering themselves: third parties, by registrable domain. */
const thirdParties = split(`
  stripe.com paypal.com wise.com plaid.com adyen.com square.com klarna.com mollie.com coinbase.com binance.com kraken.com
  etherscan.io basescan.org arbiscan.io polygonscan.com solscan.io coingecko.com coinmarketcap.com defillama.com dune.com
  uniswap.org aave.com opensea.io chain.link alchemy.com infura.io tradingview.com polymarket.com kalshi.com
  google.com googleapis.com openai.com anthropic.com claude.ai mistral.ai cohere.com perplexity.ai character.ai x.ai deepseek.com
  huggingface.co kaggle.com arxiv.org wikipedia.org wikidata.org wikimedia.org archive.org commoncrawl.org w3.org ietf.org
  rfc-editor.org iana.org iso.org schema.org json.org json-schema.org openapis.org modelcontextprotocol.io x402.org a2aregistry.org
  python.org pypi.org npmjs.com nodejs.org deno.com deno.land bun.sh rust-lang.org crates.io docs.rs lib.rs golang.org go.dev pkg.go.dev
  rubygems.org packagist.org nuget.org maven.org apache.org debian.org ubuntu.com docker.com kubernetes.io cncf.io postgresql.org
  mysql.com sqlite.org mongodb.com redis.io elastic.co duckdb.org clickhouse.com snowflake.com databricks.com supabase.com
  amazon.com amazon.de amazon.fr amazon.co.uk amazon.co.jp ebay.com ebay.de etsy.com alibaba.com aliexpress.com taobao.com walmart.com
  target.com bestbuy.com zalando.de ikea.com shopify.com woocommerce.com magento.com bigcommerce.com rakuten.co.jp mercadolibre.com
  booking.com airbnb.com expedia.com tripadvisor.com skyscanner.net kayak.com hotels.com agoda.com uber.com
  zillow.com redfin.com immoweb.be zimmo.be immobilienscout24.de leboncoin.fr idealista.com rightmove.co.uk funda.nl
  indeed.com glassdoor.com monster.com stepstone.de crunchbase.com pitchbook.com yelp.com trustpilot.com g2.com capterra.com
  salesforce.com hubspot.com zendesk.com intercom.com notion.so notion.com airtable.com monday.com asana.com trello.com atlassian.com
  jira.com zapier.com make.com n8n.io ifttt.com mailchimp.com sendgrid.com twilio.com segment.com datadoghq.com sentry.io grafana.com
  figma.com canva.com adobe.com wordpress.org wordpress.com wix.com squarespace.com webflow.com ghost.org drupal.org
  cloudflare.com vercel.com vercel.app netlify.com netlify.app heroku.com fly.io render.com railway.app digitalocean.com hetzner.com
  amazonaws.com aws.com azure.com microsoft.com apple.com oracle.com ibm.com intel.com nvidia.com meta.com netflix.com spotify.com
  socket.io draw.io asp.net vb.net ado.net ml.net paint.net java.net b.com vue.js fast.ai plot.ly last.fm cal.com fullcalendar.io
  imdb.com rottentomatoes.com goodreads.com stackoverflow.com stackexchange.com quora.com ycombinator.com producthunt.com
  nytimes.com bbc.com bbc.co.uk cnn.com reuters.com bloomberg.com ft.com wsj.com theguardian.com lemonde.fr spiegel.de elpais.com
  openstreetmap.org openweathermap.org weather.gov noaa.gov nasa.gov sec.gov data.gov europa.eu who.int un.org worldbank.org imf.org
  oecd.org ecb.int statista.com deepl.com grammarly.com creativecommons.org opensource.org gnu.org spdx.org choosealicense.com
  letsencrypt.org owasp.org mitre.org nist.gov virustotal.com shodan.io haveibeenpwned.com ssllabs.com
`)

/** Sites on which an address with a path is a person's or a company's own page. */
const profiles = split(`
  github.com gitlab.com bitbucket.org codeberg.org linkedin.com twitter.com x.com facebook.com fb.com instagram.com threads.net tiktok.com
  youtube.com youtu.be reddit.com medium.com substack.com bsky.app mastodon.social twitch.tv pinterest.com snapchat.com vk.com ok.ru
  weibo.com upwork.com fiverr.com freelancer.com malt.fr dribbble.com behance.net patreon.com ko-fi.com buymeacoffee.com gumroad.com
  discord.com telegram.org whatsapp.com signal.org skype.com slack.com keybase.io warpcast.com farcaster.xyz nostr.com stackoverflow.com
`)

/** Sites that are there to be contacted at, or to hide where a link leads. */
const contactSites = split(`
  t.me telegram.me telegram.dog wa.me wa.link whatsapp.me signal.me signal.group discord.gg discordapp.com m.me ig.me line.me lin.ee
  kakao.com zalo.me viber.click linktr.ee bio.link beacons.ai carrd.co about.me calendly.com cal.com zcal.co savvycal.com tidycal.com
  bit.ly tinyurl.com rb.gy cutt.ly is.gd goo.gl t.ly ow.ly shorturl.at lnkd.in forms.gle typeform.com tally.so jotform.com
  join.skype.com meet.google.com zoom.us keybase.pub matrix.to simplex.chat getsession.org ko-fi.com paypal.me cash.app venmo.com revolut.me
  docs.google.com notion.site paypal.com.me lnk.bio allmylinks.com campsite.bio msha.ke solo.to
`)

/** Houses under whose name everybody has a site of his own. */
const hosting = split(`
  vercel.app netlify.app github.io gitlab.io pages.dev workers.dev herokuapp.com onrender.com fly.dev web.app firebaseapp.com webflow.io
  wixsite.com wordpress.com blogspot.com substack.com gumroad.com myshopify.com itch.io carrd.co notion.site bandcamp.com weebly.com
  squarespace.com tumblr.com ghost.io hashnode.dev replit.app glitch.me surge.sh streamlit.app hf.space ngrok.io ngrok.app ngrok-free.app
  trycloudflare.com beehiiv.com teachable.com zendesk.com freshdesk.com statuspage.io
`)

/** Top-level names for documents and private networks (RFC 2606, RFC 6761), and names of wallets, that hosts are written with. */
const otherSuffixes = new Set(['example', 'invalid', 'onion', 'i2p'])

/** Suffixes that are also endings of files or of names in code: a bare word with one is seldom an address. */
const fileSuffixes = split(`
  md sh py rs zip mov pl ps so cc name java ml pt am ac mk ms st gd tf nc mm la id sc vi do pm map ai.md gz test local data
`)

/** Suffixes that are also everyday words, so that a missing space makes an address of two sentences. */
const wordSuffixes = split(`
  in is it to no me as at be by my us am app one work works today day now here live world run new page call how foo next link
  best top fun win dot date read meme bar show so kim ad an la de et il un al se es si go la ist the
`)

export type SiteClass = 'contact' | 'profile' | 'third-party' | 'unknown' | 'word' | 'file' | 'none'

const publicBody =
  /(?:^|\.)(?:gov|mil|edu|int)(?:\.[a-z]{2})?$|(?:^|\.)(?:gouv\.fr|europa\.eu|fgov\.be|gv\.at|ac\.[a-z]{2}|belgium\.be|bund\.de|overheid\.nl|gob\.[a-z]{2}|gouv\.[a-z]{2}|admin\.ch|go\.jp|gc\.ca)$/

/** Names that files of a program have. */
export const namesFile =
  /^(?:readme|license|changelog|makefile|main|index|setup|app|config|model|report|data|test|schema|script|train|lib|mod)$/

/** What a host name is to a reader of an offer; `none` for what is no name of a host. */
export const classifySite = (name: string): SiteClass => {
  const host = name.toLowerCase().replace(/\.$/, '')
  const labels = host.split('.')
  const suffix = labels.at(-1) ?? ''
  if (host === 'localhost' || labels.some(label => label === '')) return 'none'
  if (contactSites.has(host)) return 'contact'
  if (otherSuffixes.has(suffix)) return 'unknown'
  if (host === 'notion.so') return 'profile'
  const { isIcann, domain } = parse(host)
  if (isIcann !== true || domain === null) return 'none'
  if (contactSites.has(domain)) return 'contact'
  const last = (count: number) => labels.slice(-count).join('.')
  if (
    labels.length > 2 &&
    hosting.has(last(2)) &&
    !/^(?:www|api|docs|help|support|status|blog|app)$/.test(labels[0] ?? '')
  )
    return 'unknown'
  if (profiles.has(domain)) return 'profile'
  if (thirdParties.has(domain) || thirdParties.has(host) || publicBody.test(host)) return 'third-party'
  const isShort = labels.length === 2
  const first = labels[0] ?? ''
  if (isShort && (fileSuffixes.has(suffix) || namesFile.test(first))) return 'file'
  if (isShort && (wordSuffixes.has(suffix) || first.length === 1)) return 'word'
  return 'unknown'
}

/** Suffixes that somebody spells out or hides; others come up by chance in text that is turned around. */
const commonSuffixes = split(
  'com net org io dev ai app co xyz me info biz eu uk de fr nl be es it pl ru cn jp in br ch at se us ca tech shop online store site pro cloud agency example gg to so рф рус укр бел москва cz sk hu gr ro bg hr rs dk fi ie lt lv ee lu li pt mx ar cl tr ua nz za sg hk tw kr vn th ae',
)

/** Longer suffixes that people trade under; after a spelled dot they are no words of a sentence. */
const tradeSuffixes = split(`
  studio design email digital works today news space world live page life plus group team tools systems solutions academy media marketing
  consulting services capital finance money company ventures partners software network computer codes code chat host website club vip ninja
  guru expert build house gallery art photo photography video film music games game blog wiki link click bot zone city earth berlin paris
  london amsterdam brussels vlaanderen swiss nyc tokyo wien koeln hamburg bayern earth energy health care legal law tax jobs careers
  education school training institute university events events international global global enterprises industries limited gmbh inc llc ltd
  holdings foundation community social chat dating love family kids pet pets garden kitchen restaurant cafe coffee pizza wine beer fashion
  clothing shoes jewelry style beauty hair salon fitness run yoga golf football soccer tennis travel tours flights hotel rentals house homes
  estate properties land construction builders plumbing repair cleaning energy solar auto cars bike taxi delivery express supply parts
  trade trading exchange fund markets market deals deal sale discount gift cards cash loan credit bank insure insurance pay
  rocks fyi one cool ceo bio lol wtf moe fun icu top cyou sbs quest monster lat buzz rest
`)

/** Whether a suffix is one that hidden addresses end in. */
export const isCommonSuffix = (suffix: string): boolean => {
  const plain = suffix.toLowerCase()
  return commonSuffixes.has(plain) || tradeSuffixes.has(plain)
}

/** Whether a name ends in a suffix that exists. */
export const hasSuffix = (name: string): boolean => {
  const host = name.toLowerCase()
  return otherSuffixes.has(host.split('.').at(-1) ?? '') || parse(host).isIcann === true
}
