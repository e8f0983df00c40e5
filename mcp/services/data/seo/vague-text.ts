/** Link texts that say nothing about where they lead, by language; written for this list. */
const phrases: Readonly<Record<string, string>> = {
  en: 'click here, click this, click, here, right here, go, link, this link, this page, page, more, info, information, more info, more information, learn more, read more, see more, view more, find out more, discover more, show more, continue, continue reading, start, details, read, see, this, that, website, download here, tap here',
  fr: 'cliquez ici, cliquer ici, clique ici, ici, ce lien, lien, en savoir plus, savoir plus, plus d’infos, plus d’informations, lire la suite, lire plus, voir plus, la suite, suite, plus, découvrir',
  nl: 'klik hier, hier, deze link, link, lees meer, meer, meer info, meer informatie, meer lezen, lees verder, verder lezen, bekijk meer',
  de: 'hier klicken, klicken sie hier, klicke hier, klick hier, hier, mehr, siehe, mehr erfahren, mehr lesen, weiterlesen, mehr infos, mehr informationen, weitere informationen, weiter, link, dieser link, dies, das',
  es: 'haga clic aquí, haz clic aquí, clic aquí, click aquí, pulse aquí, pulsa aquí, pincha aquí, aquí, este enlace, enlace, este, más, leer más, ver más, más información, saber más, seguir leyendo, empezar',
  it: 'clicca qui, cliccare qui, qui, link, questo link, leggi tutto, leggi di più, scopri di più, continua, maggiori informazioni, più, altro',
  pt: 'clique aqui, aqui, este link, saiba mais, leia mais, ver mais, veja mais, mais, mais informação, mais informações',
  pl: 'kliknij tutaj, kliknij tu, tutaj, tu, więcej, czytaj więcej, czytaj dalej, dowiedz się więcej',
  sv: 'klicka här, här, läs mer, mer, mer info, mer information, visa mer',
  da: 'klik her, her, læs mere, mere, mere info, se mere',
  nb: 'klikk her, her, les mer, mer, mer informasjon, se mer',
  fi: 'klikkaa tästä, tästä, lue lisää, lisää, lisätietoja',
  cs: 'klikněte zde, zde, více, číst více, více informací, čtěte více',
  tr: 'buraya tıklayın, tıklayın, burada, devamı, devamını oku, daha fazla, daha fazla bilgi',
  ru: 'нажмите здесь, здесь, тут, сюда, ссылка, подробнее, читать далее, далее, узнать больше, ещё',
  uk: 'натисніть тут, тут, детальніше, докладніше, читати далі, далі',
  ar: 'اضغط هنا, انقر هنا, هنا, المزيد, اقرأ المزيد, التفاصيل',
  fa: 'اینجا کلیک کنید, اینجا, بیشتر, بیشتر بخوانید, ادامه مطلب, اطلاعات بیشتر',
  ja: 'こちら, こちらをクリック, ここをクリック, ここ, リンク, 続きを読む, 続く, 詳細, 詳しくはこちら, もっと見る, 全文表示',
  zh: '点击这里, 点击此处, 这里, 链接, 更多, 阅读更多, 了解更多, 查看更多, 點擊這裡, 這裡, 閱讀更多, 了解更多, 查看更多, 详情',
  ko: '여기, 여기를 클릭, 클릭, 링크, 더 보기, 더보기, 자세히, 자세히 보기, 계속, 전체 보기',
}

const splitPhrases = (line: string) => line.split(', ')

const byLanguage = new Map(
  Object.entries(phrases).map(([language, line]) => [language, new Set(splitPhrases(line))]),
)

const all = new Set(Object.values(phrases).flatMap(splitPhrases))

const phrasesIn = (language: string | null): ReadonlySet<string> => byLanguage.get(language ?? '') ?? all

const normalizePhrase = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll("'", '’')
    .replace(/[\s.…:!›»→>«\-–[\]()]+/g, ' ')
    .trim()

/**
 * Whether a link text says nothing about where it leads: a phrase of the page's language or of English (of all known ones when
 * it is null or another), arrows and dots left out, or a bare address.
 */
export const isVague = (text: string, language: string | null): boolean => {
  if (/^https?:\/\/\S+$/i.test(text.trim())) return true
  const phrase = normalizePhrase(text)
  return phrasesIn(language).has(phrase) || phrasesIn('en').has(phrase)
}
