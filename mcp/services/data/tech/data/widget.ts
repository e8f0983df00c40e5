import { any, type Fingerprints } from '../fingerprint.ts'

/** Films, maps, search and other things in the page. */
export const media: Fingerprints = {
  YouTube: {
    hosts: ['www.youtube.com/embed', 'www.youtube-nocookie.com/embed', 'www.youtube.com/iframe_api'],
  },
  Vimeo: { hosts: ['player.vimeo.com'] },
  Wistia: { hosts: ['fast.wistia.com', 'fast.wistia.net'] },
  Brightcove: { hosts: ['players.brightcove.net'] },
  'JW Player': { hosts: ['cdn.jwplayer.com', 'content.jwplatform.com'] },
  Cloudinary: { pixels: ['res.cloudinary.com'] },
  imgix: { pixels: ['imgix.net'] },
  ImageKit: { pixels: ['ik.imagekit.io'] },
  Uploadcare: { pixels: ['ucarecdn.com'] },
  'Google Maps': { hosts: ['maps.googleapis.com', 'www.google.com/maps/embed', 'maps.google.com/maps'] },
  Mapbox: { hosts: ['api.mapbox.com', 'api.tiles.mapbox.com'] },
  OpenStreetMap: { hosts: ['www.openstreetmap.org/export'], pixels: ['tile.openstreetmap.org'] },
  HERE: { hosts: ['js.api.here.com'] },
  Spotify: { hosts: ['open.spotify.com/embed'] },
  SoundCloud: { hosts: ['w.soundcloud.com/player'] },
}

export const widget: Fingerprints = {
  Algolia: {
    hosts: ['algolia.net', 'algolianet.com'],
    files: /\/algoliasearch(?:[@./-]|Lite)|\/instantsearch(?:\.js)?[@./-]/,
    inline: /\balgoliasearch\(/,
  },
  DocSearch: {
    files: /\/docsearch(?:\.js)?[@./-]/,
    marks: ['.DocSearch', '#docsearch'],
    implies: ['Algolia'],
  },
  Typesense: { files: /\/typesense(?:-instantsearch)?[@./-]/ },
  Disqus: {
    hosts: ['disqus.com', 'disquscdn.com'],
    inline: /\bdisqus_(?:shortname|config)\b/,
    marks: ['#disqus_thread'],
  },
  Giscus: { hosts: ['giscus.app'] },
  Trustpilot: { hosts: ['widget.trustpilot.com'], marks: ['.trustpilot-widget'] },
  Yotpo: { hosts: ['staticw2.yotpo.com', 'cdn-widgetsrepository.yotpo.com'] },
  Bazaarvoice: { hosts: ['apps.bazaarvoice.com'] },
  'Judge.me': { hosts: ['cdn.judge.me', 'cdnwidget.judge.me'] },
  Calendly: { hosts: ['assets.calendly.com', 'calendly.com'], marks: ['.calendly-inline-widget'] },
  Typeform: { hosts: ['embed.typeform.com'], marks: ['[data-tf-live]', '[data-tf-widget]'] },
  AddThis: { hosts: ['s7.addthis.com'] },
  ShareThis: { hosts: ['platform-api.sharethis.com'] },
  AddToAny: { hosts: ['static.addtoany.com'] },
  'X widgets': { hosts: ['platform.twitter.com'] },
  AccessiBe: { hosts: ['acsbapp.com', 'acsbap.com'] },
  UserWay: { hosts: ['cdn.userway.org'] },
  Weglot: { hosts: ['cdn.weglot.com'], headers: { 'weglot-translated': any } },
  'Google Translate': { hosts: ['translate.google.com'], marks: ['#google_translate_element'] },
  AMP: { hosts: ['cdn.ampproject.org'], marks: ['[amp]', '[⚡]'] },
  Partytown: { files: /\/~partytown\// },
}
