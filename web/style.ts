/**
 * The one style sheet of all pages: system fonts, one scale of sizes, light and dark, white on paper, readable from 320 pixels. Rooms
 * take its classes and have none of their own.
 */
export const style = `
:root{color-scheme:light dark;--page:#fcfbf8;--card:#fff;--ink:#22211e;--soft:#625d55;--line:#e4dfd5;--edge:#8d867a;--well:#f4f1eb;--act:#0f6466;--hover:#0b4d4f;--on:#fff;--tint:#e4f0ef;--good:#1d6b2f;--bad:#a1260d;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
@media (prefers-color-scheme:dark){:root{--page:#151617;--card:#1b1d1e;--ink:#e8e4dd;--soft:#aaa49a;--line:#323435;--edge:#77736c;--well:#1f2223;--act:#6fc7c4;--hover:#95dad7;--on:#0d1c1c;--tint:#1d3030;--good:#8fd19b;--bad:#ff9a85}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
[hidden]{display:none!important}
.unseen,.skip:not(:focus){position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.skip:focus{position:absolute;z-index:1;left:1rem;top:.5rem;padding:.5rem .9rem;border-radius:6px;background:var(--act);color:var(--on)}
:focus-visible{outline:2px solid var(--act);outline-offset:2px;border-radius:4px}

.top{border-bottom:1px solid var(--line);background:var(--card);font-size:.9375rem}
.top>div{max-width:70rem;margin:0 auto;padding:.7rem 1.25rem;display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 2rem}
.top a{color:var(--soft);text-decoration:none;padding:.35rem 0}
.top nav{display:flex;flex-wrap:wrap;gap:.25rem clamp(.6rem,2.6vw,1.4rem)}
.top .brand{color:var(--ink);font-weight:650;letter-spacing:-.01em;font-size:1.0625rem}
.top .brand::before{content:"";display:inline-block;width:.8em;height:.8em;margin-right:.5em;background:var(--act);clip-path:polygon(30% 0,70% 0,100% 30%,100% 70%,70% 100%,30% 100%,0 70%,0 30%)}
.top nav a:hover{color:var(--ink)}
.top nav [aria-current]{color:var(--ink);font-weight:600;box-shadow:0 2px 0 var(--act)}

.page{max-width:70rem;margin:0 auto;padding:1.75rem 1.25rem 4rem}
.page>main,.page>footer{max-width:48rem}
.page.wide>main{max-width:none}
.page.wide>main>:not(.cards){max-width:48rem}
.page.narrow{max-width:36.5rem;padding-top:2.25rem}
.crumbs{font-size:.875rem;color:var(--soft);margin:0 0 1rem}
.crumbs ol{list-style:none;display:flex;flex-wrap:wrap;margin:0;padding:0}
.crumbs li{margin:0}
.crumbs li+li::before{content:"/";margin:0 .55rem;color:var(--edge)}
.crumbs a{color:var(--soft)}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);font-size:.875rem;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
.contents{font-size:.875rem;margin:0 0 1.5rem;padding:.75rem 1rem;background:var(--well);border-radius:8px}
.contents details{margin:0}
.contents summary{color:var(--soft);font-weight:600;padding:0}
.contents ul{list-style:none;margin:.35rem 0 0;padding:0}
.contents li{margin:.3rem 0}
.contents a{color:var(--ink);text-decoration:none}
.contents a:hover{color:var(--act);text-decoration:underline}
@media (min-width:64rem){.contents details::details-content{content-visibility:visible;block-size:auto}.contents summary{list-style:none}.page.long{display:grid;grid-template-columns:minmax(0,48rem) 14rem;justify-content:space-between;grid-auto-flow:row dense;align-items:start}.page.long>*{grid-column:1}.page.long>.contents{grid-column:2;grid-row:1/span 9;position:sticky;top:1.5rem;background:none;padding:0 0 0 1.25rem;border-left:1px solid var(--line);border-radius:0}}

.tabs{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:.9375rem;margin:0 0 1.25rem}
.tabs [aria-current]{color:var(--ink);font-weight:600}
h1{font-size:1.875rem;line-height:1.2;letter-spacing:-.02em;font-weight:650;margin:0 0 .75rem;text-wrap:balance}
h2{font-size:1.3125rem;line-height:1.3;letter-spacing:-.01em;font-weight:620;margin:2.75rem 0 .75rem}
h3{font-size:1.0625rem;line-height:1.4;font-weight:620;margin:1.75rem 0 .4rem}
p,ul,ol{margin:0 0 1rem}
ul,ol{padding-left:1.3rem}
li{margin:.25rem 0}
a{color:var(--act);text-decoration-thickness:1px;text-underline-offset:.18em}
a:hover{color:var(--hover)}
hr{border:0;border-top:1px solid var(--line);margin:2rem 0}
h1+blockquote,.lead{margin:0 0 1.5rem;padding:0;border:0;font-size:1.0625rem;color:var(--soft)}
h1+blockquote p{margin:0}
blockquote{margin:0 0 1rem;padding-left:1rem;border-left:3px solid var(--line);color:var(--soft)}
.note,.soft,small{color:var(--soft)}
.note,small{font-size:.9rem;font-weight:400;letter-spacing:0}
button+.note{margin-top:.75rem}
.good{color:var(--good)}
.bad{color:var(--bad)}
code,pre,.hash{font-family:var(--mono);font-size:.875em}
.hash{font-size:.8125rem}
td .hash{display:inline-block;min-width:9rem;overflow-wrap:anywhere}
:not(pre)>code{background:var(--well);padding:.1em .35em;border-radius:4px}
pre{position:relative;background:var(--well);border-radius:8px;padding:.85rem 1rem;margin:.5rem 0 1.25rem;white-space:pre-wrap;line-height:1.55;font-size:.84375rem}
pre code{font-size:inherit}
.words{white-space:pre-line}
.untrusted{border-left:3px solid var(--line);padding-left:1rem}

.wide-table,.wide:not(.page){overflow-x:auto;margin:0 0 1.25rem}
table{border-collapse:collapse;width:100%;font-size:.9375rem;line-height:1.5}
caption{text-align:left;color:var(--soft);font-size:.875rem}
th{text-align:left;font-weight:600;color:var(--soft);font-size:.8125rem}
th,td{padding:.55rem 1rem .55rem 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:break-word}
th:last-child,td:last-child{padding-right:0}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
@media (min-width:40rem){td:first-child{white-space:nowrap}td.words{white-space:normal}}
dl{display:grid;grid-template-columns:minmax(6rem,max-content) minmax(0,1fr);gap:.45rem 1.25rem;margin:1rem 0 1.5rem}
dt{color:var(--soft)}
dd{margin:0}
.narrow dl{padding:1rem 1.15rem;background:var(--card);border:1px solid var(--line);border-radius:10px}
dd ul{margin:0}
main .tasks img{max-width:100%;height:auto;border-radius:8px}
@media (min-width:60rem){.pair{display:grid;grid-template-columns:1fr 1fr;gap:0 2.5rem}.pair h2:first-child{margin-top:0}}
td form,td button{margin:0}
.tiles{grid-template-columns:repeat(auto-fit,minmax(min(9.5rem,45%),1fr));gap:.75rem}
.tiles div{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.75rem 1rem}
.tiles dt{font-size:.84375rem}
.tiles dd{font-size:1.3125rem;font-weight:620;font-variant-numeric:tabular-nums}
.rows,.tasks{list-style:none;margin:0 0 1.25rem;padding:0}
.rows>li,.tasks>li{margin:0;border-top:1px solid var(--line);padding:.85rem 0}
.rows>li:last-child,.tasks>li:last-child{border-bottom:1px solid var(--line)}
.rows p{margin:0}
.rows .words{margin:.25rem 0}
.tasks h2{font-size:1.0625rem;margin:0}
p.facts{color:var(--soft);margin:.2rem 0 0}
.bounty{color:var(--ink);font-weight:620}
.pager{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
.card,.work,#result{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1.1rem 1.25rem;margin:1.5rem 0}
.card>:first-child,.work>:first-child,#result>:first-child{margin-top:0}
.card>:last-child,.work>:last-child{margin-bottom:0}
.price{font-size:1.875rem;font-weight:650;letter-spacing:-.02em;margin:1rem 0 .25rem}
.tag{display:inline-block;font-size:.8125rem;line-height:1.5;padding:0 .55em;border-radius:99px;background:var(--well);color:var(--soft)}
.tag.on{background:var(--tint);color:var(--act)}
details{margin:0 0 1rem}
summary{cursor:pointer;color:var(--act);padding:.25rem 0}
summary+*{margin-top:.5rem}
.chart,figure{margin:1.25rem 0}
svg.qr{display:block;width:100%;max-width:16rem;height:auto;margin:1rem 0}
figure svg{display:block;width:100%;max-width:32rem;height:auto}
figure svg[preserveAspectRatio=none]{max-width:none;height:9rem;border-bottom:1px solid var(--line)}
figcaption{display:flex;justify-content:space-between;gap:1rem;font-size:.84375rem;color:var(--soft);padding-top:.35rem}
svg text{fill:var(--ink);font:12px system-ui,sans-serif}
svg .grid{stroke:var(--line)}
svg .diagonal{stroke:var(--soft);stroke-dasharray:4 4}
svg .interval,svg .trend{stroke:var(--act);stroke-width:2;fill:none;vector-effect:non-scaling-stroke}
svg .point,svg .bar{fill:var(--act)}
svg .few{fill:var(--page);stroke:var(--act);stroke-width:2}
svg .band,svg .area{fill:var(--act);opacity:.17}
svg .loss{fill:var(--soft)}

.search{display:grid;grid-template-columns:1fr auto;gap:.75rem;margin:1.25rem 0 1.5rem;align-items:start}
.search button{margin:0}
.search .row{grid-column:1/-1}
.search label{margin-top:0;font-size:.875rem;color:var(--soft)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(19rem,100%),1fr));gap:1rem;list-style:none;padding:0;margin:0 0 2rem}
.cards>li{margin:0;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1.1rem 1.25rem}
.cards h2,.cards h3,.rows h2{margin:0 0 .35rem;font-size:1.0625rem}
.cards p{margin:0 0 .5rem;font-size:.9375rem}
.cards p:last-child,.rows>li>:last-child{margin-bottom:0}
.field{margin:0 0 1rem}
.field .note{margin:.3rem 0 0}
.field label{margin:0 0 .3rem}
.samples{display:flex;flex-wrap:wrap;gap:0 1.1rem}
.samples label{margin:0;padding:.35rem 0;color:var(--soft);cursor:pointer;font-size:.9375rem}
.samples input:checked+label{color:var(--ink);font-weight:600;box-shadow:0 2px 0 var(--act)}
.samples input:focus-visible+label{outline:2px solid var(--act);outline-offset:2px}
.samples .sample{display:none;width:100%}
.samples input:nth-of-type(1):checked~.sample:nth-of-type(1),.samples input:nth-of-type(2):checked~.sample:nth-of-type(2),.samples input:nth-of-type(3):checked~.sample:nth-of-type(3),.samples input:nth-of-type(4):checked~.sample:nth-of-type(4),.samples input:nth-of-type(5):checked~.sample:nth-of-type(5){display:block}
.tree,.tree ul{list-style:none;margin:0;padding:0}
.tree ul{padding-left:1rem;border-left:1px solid var(--line)}
.tree{margin:1rem 0;font-size:.9375rem}
.tree details{margin:0}
.tree summary{color:inherit;padding:0}
.tree .key{color:var(--soft);font-family:var(--mono);font-size:.875em}
.tree .literal{font-family:var(--mono);font-size:.875em;color:var(--act)}
.sentence{font-size:1.0625rem;font-weight:600}

form{margin:1rem 0}
form+form,form+p{margin-top:1rem}
fieldset{border:1px solid var(--line);border-radius:10px;margin:0 0 1rem;padding:.5rem 1.1rem 1rem;min-width:0}
legend{font-weight:600;padding:0 .4rem;margin-left:-.4rem}
label{display:block;margin:.75rem 0 .3rem}
input,textarea,select{font:inherit;color:inherit;background:var(--card);border:1px solid var(--edge);border-radius:7px;padding:.5rem .65rem;width:100%;min-height:2.6rem}
input[type=checkbox],input[type=radio]{width:auto;min-height:0;accent-color:var(--act);margin:0 .4rem 0 0}
input::placeholder,textarea::placeholder{color:var(--soft)}
label.check{display:flex;align-items:center;min-height:2rem;margin:0}
input[type=file]{border-style:dashed}
progress{width:100%;accent-color:var(--act)}
textarea{min-height:6rem}
textarea[spellcheck=false],input[spellcheck=false]{font-family:var(--mono);font-size:.875rem}
.row{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:0 1rem}
button,.button{display:inline-block;font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--on);background:var(--act);border:1px solid transparent;border-radius:7px;padding:.5rem 1.1rem;margin:.75rem .5rem 0 0;min-height:2.75rem;cursor:pointer}
button:hover,.button:hover{background:var(--hover);color:var(--on)}
button:disabled{opacity:.6;cursor:progress}
button.quiet,button.plain,.button.quiet{color:var(--act);background:none;border-color:var(--edge)}
button.quiet:hover,button.plain:hover,.button.quiet:hover{background:var(--well);color:var(--act)}
button.grave{color:var(--bad);background:none;border-color:var(--bad)}
.narrow form>button,.narrow section>button,.narrow #ask button{display:block;width:100%;margin-right:0}
.rows form{margin:.5rem 0 0}
.rows button{width:auto;min-height:2.25rem;padding:.3rem .9rem;font-size:.9375rem;margin-top:.25rem}
pre .copy{float:right;margin:-.25rem -.4rem .25rem .75rem}
.copy{font:500 .8125rem/1.6 system-ui,sans-serif;min-height:0;padding:.1rem .6rem;color:var(--soft);background:var(--card);border-color:var(--line)}
.copy:hover{color:var(--ink);background:var(--card)}
.say,#status{min-height:1.6em;margin:.9rem 0}
#result h3{font-size:1.3125rem}
#result[data-valid=true] h3{color:var(--good)}
#result[data-valid=false] h3{color:var(--bad)}
#answer img,#answer iframe{max-width:100%;border:1px solid var(--line);border-radius:8px}
#answer iframe{width:100%;height:70vh;background:#fff}
.seller{display:flex;gap:.75rem;align-items:center;color:var(--soft);margin-bottom:1.5rem}
.seller img{width:2.25rem;height:2.25rem;object-fit:contain}
@media (max-width:32rem){th,td{padding-right:.6rem}main dl:not(.tiles){grid-template-columns:1fr;gap:0}main dl:not(.tiles) dd{margin:0 0 .6rem}h1{font-size:1.625rem}.page{padding-top:1.25rem}}
@media print{:root{color-scheme:light;--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--well:#fff;--act:#000}.top,.contents,.crumbs,.copy,button,footer,form.search{display:none}pre{border:1px solid #bbb}.page,.page>main{max-width:none;padding:0}a{text-decoration:none}}
`
