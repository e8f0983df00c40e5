const under = (name: string, endings: string): string[] =>
  endings.split(' ').map(ending => `${name}.${ending}`)

const yahoo =
  'com co.uk co.in co.id co.jp co.nz co.za co.kr co.th com.ar com.au com.br com.co com.hk com.mx com.my com.pe com.ph com.sg com.tr com.tw com.ve com.vn ca cl de dk es fi fr gr ie in it jp nl no pl pt ro ru se'
const hotmail =
  'com co.uk co.jp co.kr co.nz co.th co.za com.ar com.au com.br com.tr at be ca ch cl cz de dk es fi fr gr hu it my nl no ph pt rs ru se sg sk'
const outlook =
  'com co.id co.il co.th com.ar com.au com.br com.gr com.pe com.tr com.vn at be cl cz de dk es fr hu ie in it jp kr lv my ph pt sa sg sk'
const live =
  'com co.kr co.uk co.za com.ar com.au com.mx com.my com.ph com.pt com.sg at be ca cl cn de dk fi fr hk ie in it jp nl no ru se'
const gmx = 'de net com at ch fr us org co.uk es eu info biz pt'
const yandex = 'ru com by kz ua com.tr com.am uz'

/** Domains under which anybody gets a mailbox for nothing: own list. */
const domains = new Set([
  'gmail.com',
  'googlemail.com',
  ...under('yahoo', yahoo),
  ...under('hotmail', hotmail),
  ...under('outlook', outlook),
  ...under('live', live),
  ...under('gmx', gmx),
  ...under('yandex', yandex),
  ...under('protonmail', 'com ch'),
  ...under('fastmail', 'com fm'),
  ...under('tutanota', 'com de'),
  ...under('zoho', 'com eu in'),
  ...`msn.com passport.com windowslive.com ymail.com rocketmail.com myyahoo.com aol.com aol.de aol.fr aol.co.uk aim.com
  icloud.com me.com mac.com proton.me pm.me zohomail.com zohomail.eu tutamail.com tuta.io tuta.com keemail.me hushmail.com
  hush.com mail.com email.com usa.com post.com engineer.com consultant.com web.de freenet.de t-online.de arcor.de mail.de
  email.de posteo.de posteo.net mailbox.org mail.ru bk.ru inbox.ru list.ru internet.ru rambler.ru lenta.ru ya.ru ukr.net i.ua
  meta.ua bigmir.net tut.by qq.com foxmail.com 163.com 126.com yeah.net 139.com 189.cn wo.cn sina.com sina.cn sohu.com
  aliyun.com tom.com naver.com daum.net hanmail.net nate.com kakao.com rediffmail.com indiatimes.com libero.it virgilio.it
  tiscali.it alice.it tin.it tim.it orange.fr wanadoo.fr free.fr sfr.fr laposte.net bbox.fr neuf.fr wp.pl o2.pl onet.pl
  interia.pl poczta.onet.pl op.pl gazeta.pl seznam.cz email.cz post.cz centrum.cz azet.sk zoznam.sk freemail.hu citromail.hu
  abv.bg mail.bg inbox.lv inbox.lt one.lt mail.ee hot.ee uol.com.br bol.com.br terra.com.br ig.com.br globo.com r7.com
  comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net juno.com netzero.net
  optonline.net frontier.com windstream.net btinternet.com sky.com talktalk.net virginmedia.com ntlworld.com blueyonder.co.uk
  bigpond.com optusnet.com.au shaw.ca rogers.com sympatico.ca telus.net bluewin.ch hispeed.ch telenet.be skynet.be ziggo.nl
  kpnmail.nl planet.nl home.nl hetnet.nl xs4all.nl online.no telia.com bredband.net comhem.se sapo.pt duck.com lycos.com
  excite.com mailfence.com runbox.com startmail.com disroot.org riseup.net autistici.org cock.li walla.co.il walla.com
  mynet.com vodafone.it maktoob.com`.split(/\s+/),
])

export const isFree = (domain: string): boolean => domains.has(domain)

/** Domains that hand mail on to a mailbox which is not shown, each with its provider. */
const relays: Readonly<Record<string, string>> = {
  'privaterelay.appleid.com': 'Apple',
  'mozmail.com': 'Firefox Relay',
  'duck.com': 'DuckDuckGo',
  'simplelogin.com': 'SimpleLogin',
  'simplelogin.co': 'SimpleLogin',
  'slmail.me': 'SimpleLogin',
  'aleeas.com': 'SimpleLogin',
  'passmail.net': 'Proton Pass',
  'passinbox.com': 'Proton Pass',
  'anonaddy.com': 'addy.io',
  'anonaddy.me': 'addy.io',
  'addy.io': 'addy.io',
}

/** Who hands mail on for the parents of a domain. */
export const findRelay = (parents: readonly string[]): string | null =>
  parents.map(parent => relays[parent]).find(relay => relay !== undefined) ?? null
