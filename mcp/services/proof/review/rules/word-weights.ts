/** What is added to the sum, whatever the words. */
export const bias = 1.1

/**
 * How much each stem tells for a text that went wrong, or against it. Learned from the labelled texts by `fitWords`; a test learns them
 * again, and `npx vitest run test/services/proof/review/wording.test.ts -u` writes them here.
 */
export const stemsByWeight: readonly (readonly [number, string])[] = [
  [6.1, 'will'],
  [4.4, 'all'],
  [4, 'new'],
  [3.8, 'that'],
  [3.5, 'since'],
  [3.4, 'becaus'],
  [3.3, 'pay'],
  [3.2, 'produc'],
  [3.1, 'URL so'],
  [3, 'today withou'],
  [2.9, 'buy'],
  [2.8, '! can privat'],
  [2.7, 'market'],
  [2.6, 'leave loan nobody note'],
  [2.5, 'also any every patien'],
  [2.4, 'compet everyt s surely'],
  [2.3, 'goes half stop'],
  [2.2, 'card furthe gone proves'],
  [2.1, 'compan during green prod should theref they you'],
  [2, 'anyone comple holida no off ship we'],
  [1.9, 'ai guaran medica safe save wire'],
  [1.8, 'churn conclu curren it key noon paying suppli system to x'],
  [1.7, 'better bottle deleti ever format full i looks m mornin recomm skip'],
  [1.6, 'failed issues live looked mg money right skin straig sudo their thus wrote'],
  [1.5, 'ad admin adult bank base cheape checko doubt earn lawyer overni side take user when'],
  [
    1.4,
    'affect agreed alread clean direct everyo facts friday hence import inflat intere restar rows step than times weeken your',
  ],
  [1.3, 'big day delete drug fall fine free fund is operat press sleep some this twice'],
  [
    1.2,
    'accept althou away black ceo disreg dollar employ faster gives mailbo make names older outage proven realis revenu sell still the whole works',
  ],
  [
    1.1,
    '$ agree am bathro bridge conver down exchan exe few filled had hide home human later long merged our powers return skippe someth where',
  ],
  [
    1,
    'analys asking birth clearl contra eight entere failin increa invoic kitche lists merge methot near notice old orders overal paid passpo passwo provid put store termin total treasu turned up us usdc verdic websit wrong',
  ],
  [
    0.9,
    'actual allerg be bleach bot choose client code confid curl eat find ill leavin must paper pool quickl root salt ssn starts usd usual ve visit water year',
  ],
  [
    0.8,
    'analyt bath bonus cancel closin come consum droppe enter evenin exist follow force genera here hidden hosts incl integr intern invite love mails match mentio millio now outlie payrol permis qualit rating shows sla stars supple target threat unlimi update urgent vinega well whenev wine winner women',
  ],
  [
    0.7,
    "accoun air always blbnnz breaks came charge citati copied databa defect defini didn't driver ends euros featur flight forum gatewa going gtzw has he hospit hurry image incide includ instru invest me minimu missin none notify offer peak primar reduce rid runnin rzxktd shared shops single size space strong summer switch task these timeli uzqaaa values vbmuaa worked",
  ],
  [
    0.6,
    'afterw agent announ artifa assess averag aws backfi basis btc busine bypass cable chat circui clinic contin cutove date diabet discou durati emerge event expert fleet foreve friend fumes gained garage guests hall halvin hiv honey improv laptop like lost maria member met minor ms nice office overri p photo photos posted price profit replac rules said score scratc server set sharpe shift simple statis tenant them thermo those throw tonigh too trips ttl turn turns upload uptime using vulner wallet ward win worst zero',
  ],
  [
    0.5,
    'abstra alerts along app assist attack aug august boilin booked campai cannot carrie cases cash causes chatbo compla cream custom der drowni electi email endpoi everyb experi fell foreig forkli gmail guidel hire host ice ignore impact kept kms landlo leafle leak legal lib lookin losing man memory midnig mileag much net openss paused plain pour projec quicke safety salari schema scrape she signed start strate surpri think trades transl trip true typica und users vaccin var waitin whatev',
  ],
  [
    0.4,
    'above allowe amount apple as audito avoid backte bug changi cheque childr claims codes crawle credit depres descal deskto disabl dns do drop dublin easier encryp feel finds five folder found founde fuel git held hotfix instea k lake late latenc litres load lockou loop main migrat name necess negati nok non odd once online openin oslo pages pg pillow plans positi pre prefer printe push recrui rooms round secure shake state steel stops teache tellin term throug tip tls top tradin train tried trucks tummy txt univer useful vendor versio visa waives was while yester',
  ],
  [
    0.3,
    ': accide acid alarms aspiri assign audien best climb coils cover cracks debug destru diagno doctor effect false fee filed fire fit flat get gloves good heads house iban keeps knows let llm many mark migrai mix mode more mute option panel parall percen phones pills plant plants plausi predic prepay raises refere regula respon rewrit say sensor severa short smoke somewh tan ton tonne units volume wareho withdr yes',
  ],
  [
    0.2,
    'adding advert aftern articl assert based billio blocke bob borrow bottli bought bucket buildi caller carry certai chain class correc crm dana debt degree deploy deposi diet dilige disabi done downgr drivin duplic earlie ebitda emaile execut februa figure flags ghp gift great growth happen hi influe interl invent just kafka kind leaves lines lose lowest messag moved my nest night pagerd parcel pdf pensio point power rate rebuil recrea reject reliab religi resear retent runs safely salary sales self settle shares signin slack soc spend spread st staff studie subjec survey swimmi techni ten thank thanks truck turnin unit use varian vpn wipe work',
  ],
  [
    0.1,
    'act age applic around audite balanc beat breakf ca caused checke child cleanu clerk colour copper costs counci creden cv damage dark depend detect drops exhaus f falls fault findin gender goal gold grew handli hands harnes headac higher inc indemn indust inform interm journa keys kilome know label liabil light lighti liquid look lunch margin marks metric miss nervou noise ones out paste phase planne port pupils pytest quotes recove renal reply requir residu robots rotate scenar script season securi send sendin shadow shippi shop sold solven stores surplu tmp tokens tower tracke treatm type unsubs wal',
  ],
  [
    -0.1,
    "abort admini automa bond book bother brough can't ccc ceremo chats cleani closes comes commit compou coupon critic daily db de delimi descri develo distri domain dosing double dump embarg emissi europe eviden exceed factor fails fees file firmwa fits future gauge head holm instan insure job km lasted listin logo max mfa minute misses module monito ops outloo outrea party passer pendin period petiti phishi post postgr premiu priya pumps qa re reach rebase repair retest rights roundi saturd search shelve speake spring sql stage stay stored sure taken took travel unatta unusua very view virus way workin xy yellow yet",
  ],
  [
    -0.2,
    'adapt anna apply arm asked auth author backgr backup bake barrie been began benchm billin canary center cloud cloudt club compon condit consul coolin correl covera crms csv dashbo decemb defaul drift elif enable evacua evalua even exactl except existi expans failov final fraud from gluten goggle got grow guard health heatin helpde him honest indepe inspec instal kill kyc lag larges last launch licenc lindqv loads local login longes lot makes master meet mercha method node origin own partne past patter pick pm poll possib proces public random region regres rehear remove rise rolled rollou runway sale scanne sender servic simula source spam statem struct suppor tables tagged temper timed togeth token touch transf troubl twelve undo upside web went wiki writes writin',
  ],
  [
    -0.3,
    'aggreg anonym assump b batche beside blood cachin calend capaci chest clause cluste commen compil consen counse counte create deadli demo detail dev docs dr drink dropou engine env enviro fact failur far fewer fill first for gave heart hit hot income known level logs lyon mean memo next nightl pain previe pricin publis reader recall receip recept record refact result rough row saved sd seems sells share sign signal smalle social statut sue summar templa thinne touche trust try unplug url value warm weeks wind worklo',
  ],
  [
    -0.4,
    'ago allowa ana annual api awaren behind blank books branch break breath c calls cfo click connec copy d diff dose drafts edge errors extens extrac financ gap grades hour hr into items januar jonas labell lacks lint logger loss mid model monday neighb networ offers owners pilot pipeli poison precis presen privac pro purge quiet readab reason refund replie roll rollin school secrec site spare starte sunday synthe tax told tomorr tools used valida video',
  ],
  [
    -0.5,
    "active admins approv attach audit carefu certif cite cleare closed court covers device don't dry energy eth exerci forwar german guardr heat helped ines invita isolat itself json layout least lesson letter limit ll ltv map mm o output platfo protec rain rated receiv regard rename repres reprod restri rings risk role semico signif talk third traffi treate ups virtua walk want wednes welcom worksh",
  ],
  [
    -0.6,
    "% agreem anothe applie baby board bp button candid case chapte checks chicke collec concur contai dates delive deputy englis events expire firm fix functi github guide hand intend isn't july lead less liked locked meter muted offlin passed place places policy pr prices progra raise reads recipe redact refuse revert rf rm rose says secret seed senten slot soft ssh suite taking tb terms text there trade traine traini v weight",
  ],
  [
    -0.7,
    'alone append appoin but channe conten counts cut debugg delist demand earnin flaky foreca freeze given her histor ingred intent librar line marked md meetin need often part py quarte ran rates real releas remain renewa replic retire rotati route shall sheets shorte shown soluti storag studen study sugges swap t table traces trial triple wash wear',
  ],
  [
    -0.8,
    'added again answer auto column config contac cost data entry eur explai fittin flag gas handed hold how labels limits linked mainte min months moves normal object onboar opt others outsid over pass payabl pays prescr proble prompt pull purcha remova revers scan separa small spot tells ticket wait warnin were writte',
  ],
  [
    -0.9,
    'adjust archiv chance contro error exclud fail filter garden hello help high inacti lease likely logged may open parent paymen phone plan posts red screen septem signs six someon th transa unless valid week who',
  ],
  [
    -1,
    'accord alarm allow count dear design did exam front group inside issue jan median multis n number nurse pharma qz remind reset retrie second steps thresh',
  ],
  [
    -1.1,
    'arrive before bring clear could decide discus disk door draft due gb identi kim limite listed made manage newsle opted parser q reache readin reconc remote rent revoke select settin snapsh tag tested upgrad visito years',
  ],
  [
    -1.2,
    'agains alert both change cold differ end files gets id measur missed named opened previo query ready reques rollba status yearly',
  ],
  [-1.3, 'and are asks cards comman in move notes restor same see signat specif split weekly would'],
  [
    -1.4,
    'betwee cache ci course expect export if index its list per rest rule sent stoppe takes under w with',
  ],
  [-1.5, 'begin build go have inject june meets monthl of only portal prepar room show tests verify watch'],
  [-1.6, 'back below desk docume log person propos r tempor'],
  [-1.7, 'action decisi does hours ledger march needs on review sectio sessio tell whethe'],
  [-1.8, '( empty fixed most never not points team treat'],
  [-1.9, 'access add h mail or other regist which window'],
  [-2, 'after compar comput four little noted read stagin stays write'],
  [-2.1, 'about an machin nothin'],
  [-2.2, ') NUM anythi april confir matche order three until'],
  [-2.3, 'check form give sheet'],
  [-2.4, 'broken left page thursd two'],
  [-2.5, '` each owner sample'],
  [-2.6, 'waits'],
  [-2.7, 'then unchan'],
  [-2.8, 'ask'],
  [-2.9, '? questi report such'],
  [-3, 'call'],
  [-3.1, 'interv one tuesda within'],
  [-3.3, 'exampl test'],
  [-3.4, 'please what'],
  [-3.5, 'keep'],
  [-3.7, 'run'],
  [-4.4, 'a'],
  [-4.6, 'days'],
  [-9.5, ';'],
]
