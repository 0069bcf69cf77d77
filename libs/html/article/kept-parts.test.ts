/** Parts of a text that resemble the frame of a site are kept in the text, the content and the main Markdown. */
import { test } from 'tap'
import { articleOf, links, mainOf, paragraphs, prose } from './article.examples.ts'

/** Returns the text, the content and the main Markdown of a page with this body. */
function outputsOf(body: string): string[] {
  const html = `<title>Moss lawns</title><body><nav><ul>${links(5)}</ul></nav>${body}</body>`
  const { text, content } = articleOf(html)
  return [text, content, mainOf(html)]
}

const within = (inside: string): string => `<main><h1>Moss lawns</h1>${inside}</main>`

test('A policy or terms', async t => {
  const long = paragraphs(6, 10)
  for (const name of [
    'class="privacy-policy-content"',
    'class="privacy-section"',
    'class="legal-text"',
    'id="cookie-policy"',
  ]) {
    const inner = within(`${paragraphs(2)}<div ${name}>${long}</div>`)
    for (const output of outputsOf(inner)) t.match(output, prose(15), `is the text within it: ${name}`)
    const short = within(`${paragraphs(6, 10)}<div ${name}>${paragraphs(1)}</div>`)
    for (const output of outputsOf(short)) t.notMatch(output, prose(0), `is no short part: ${name}`)
    for (const around of [
      `<div ${name}>${long}</div>${within(paragraphs(2))}`,
      `${within(paragraphs(2))}<div ${name}>${long}</div>`,
      `<div ${name}>${long}</div><h1>Moss lawns</h1>${paragraphs(2)}`,
    ])
      for (const output of outputsOf(around)) {
        t.match(output, prose(1), 'is not the text before or around it')
        t.notMatch(output, prose(15), `is a notice there: ${name}`)
      }
  }
  const clause = (name: string) => `<h2>${name}</h2><div class="disclaimer">${paragraphs(1, 20)}</div>`
  for (const output of outputsOf(
    within(`${paragraphs(6)}${clause('Warranty')}<h2>Notices</h2>${paragraphs(2, 9)}`),
  ))
    t.match(output, prose(20), 'is the text of a section between others')
  for (const output of outputsOf(within(`${paragraphs(6)}${clause('Warranty')}`)))
    t.notMatch(output, prose(20), 'is no section at the end')
  for (const name of ['class="cookie-banner"', 'id="onetrust-consent-sdk"', 'class="cookie-law-info-bar"'])
    for (const output of outputsOf(within(`<div ${name}>${paragraphs(3, 10)}</div>${paragraphs(2)}`)))
      t.notMatch(output, prose(11), `is not a request for consent: ${name}`)
})

test('Images', async t => {
  const image = '<img src="/moss.jpg" alt="Cushion">'
  const address = 'https://www.example.com/moss.jpg'
  const frames = {
    caption: `<div class="wp-caption">${image}<p class="wp-caption-text">A rose</p></div>`,
    gallery: `<figure class="wp-block-gallery"><figure>${image}<figcaption>A rose</figcaption></figure></figure>`,
    shop: `<div class="product__media-gallery"><a href="/moss-large.jpg"><picture>${image}</picture></a></div>`,
    credit: `<div class="image-credit-wrap">${image}<span class="credit">A rose</span></div>`,
    'standing credit': `<div class="image-credit-wrap">${image}<span class="credit">Foto: A rose</span></div>`,
    list: `<div class="gallery"><dl><dt>${image}</dt><dd class="gallery-caption">A rose</dd></dl></div>`,
  }
  for (const [name, html] of Object.entries(frames)) {
    const [text, ...rest] = outputsOf(within(`${paragraphs(2)}${html}${paragraphs(2, 2)}`))
    for (const output of rest)
      t.ok(output.includes(address), `are kept in an element with a caption: ${name}`)
    t.notMatch(text, 'A rose', 'without the caption')
  }
  const caption = `<div class="caption"><p>A rose</p></div><figcaption>${image}A rose</figcaption>`
  for (const output of outputsOf(within(`${paragraphs(3)}${caption}`))) t.notMatch(output, /A rose/)
})

test('A figure with a table or code', async t => {
  const table = '<table><tr><th>Kind<th>Count<tr><td>Common<td>45</table>'
  const caption = '<figcaption>Bats in 2023, by kind</figcaption>'
  const at = (figure: string) => outputsOf(within(`${paragraphs(4)}${figure}${paragraphs(2, 10)}`))
  for (const figure of [
    `<figure class="wp-block-table">${table}${caption}</figure>`,
    `<figure class="ltx_table">${caption}<div>${table}</div></figure>`,
    `<figure><pre>rake --deep</pre>${caption}</figure>`,
  ])
    for (const output of at(figure)) t.match(output, 'Bats in 2023', `has its caption: ${figure}`)
  const image = `<figure>${table}<img src="/moss.jpg">${caption}</figure>`
  t.notMatch(at(image)[0], 'Bats in 2023', 'unlike one with an image in the text')
})

test('A label in a link without an address of another page', async t => {
  const labels = [
    '<div class="toggle" role="button"><a tabindex="0">How old is moss?</a></div>',
    '<div><a href="#" role="button">How old is moss?</a></div>',
    '<div><a href="#answer" aria-expanded="false">How old is moss?</a></div>',
    '<div><a href="javascript:void(0)">How old is moss?</a></div>',
    '<div><a name="s2"><b>How old is moss?</b></a></div>',
    '<div class="wp-block-file"><a href="/r.pdf">How old is moss?</a></div>',
  ]
  for (const label of labels)
    for (const output of outputsOf(
      within(`${paragraphs(3)}${label}<div>${prose(7)}</div>${paragraphs(2, 10)}`),
    ))
      t.match(output, 'How old is moss?', `is text: ${label}`)
  for (const output of outputsOf(within(`<a name="top">${paragraphs(4)}</a>`)))
    t.match(output, prose(3), 'does not make the text in it a link')
  for (const link of ['<a href="/moss">How old is moss?</a>', '<a href="#moss">How old is moss?</a>'])
    for (const output of outputsOf(within(`${paragraphs(3)}<div>${link}</div>${paragraphs(2, 10)}`)))
      t.notMatch(output, 'How old is moss?', `is no text: ${link}`)
})

test('A table with the data of a product', async t => {
  const rows = '<tr><th>Weight</th><td>1.2 kg</td></tr><tr><th>Capacity</th><td>12 l</td></tr>'
  for (const name of ['woocommerce-product-attributes shop_attributes', 'sale', 'product-card'])
    for (const output of outputsOf(within(`${paragraphs(3)}<table class="${name}">${rows}</table>`)))
      t.match(output, /Weight.*1\.2 kg.*Capacity.*12 l/s, `is text: ${name}`)
  const layout = `<table class="sale"><tr><td>Rakes for less</td></tr></table><p class="shop-now">Rakes for less</p>`
  for (const output of outputsOf(within(`${paragraphs(3)}${layout}`)))
    t.notMatch(output, 'Rakes for less', 'but a promotion is not')
})

test('A box of facts about a place or person', async t => {
  const box = `<table class="infobox vcard"><tr><th colspan="2">Moss tower</th></tr><tr><th>Height</th><td>35 metres</td></tr></table>`
  for (const output of outputsOf(within(`${box}${paragraphs(4)}`)))
    t.match(output, '35 metres', 'is a table of the text')
  const about = '<div class="vcard"><p>Ada writes in Ghent, with care.</p></div>'
  for (const output of outputsOf(within(`${about}${paragraphs(4)}`)))
    t.notMatch(output, 'in Ghent', 'unlike a box about the author')
})

test('Cells that are named after their column', async t => {
  const columns = ['date', 'author', 'tags', 'comments', 'rating', 'share', 'views-field-field-date']
  for (const column of columns) {
    const rows = `<tr><td class="${column}">Late<td>Ann<td>5<tr><td class="${column}">Early<td>Bo<td>6`
    for (const head of [`<th>Seen`, `<th class="${column}">Seen`]) {
      const table = `<table><thead><tr>${head}<th>Name<th>Score</thead>${rows}</table>`
      const [text, content, markdown] = outputsOf(within(`${paragraphs(4)}${table}`))
      t.match(text, /Seen\tName\tScore\nLate\tAnn\t5\nEarly\tBo\t6/, `stay in it: ${column}`)
      t.match(content, /Seen<\/th>.*Late<\/td><td>Ann.*Early<\/td><td>Bo/s, column)
      t.match(markdown, /\| Seen *\| Name *\| Score *\|\n.*\n\| Late *\| Ann *\| 5/, column)
    }
  }
  const records = `<table><tr><td class="label">Comments:</td><td class="comments">12 pages</td></tr>
    <tr><td class="label">Subjects:</td><td class="subjects">Mosses</td></tr></table>`
  for (const output of outputsOf(within(`${paragraphs(4)}${records}`)))
    t.match(output, /Comments:.*12 pages.*Subjects:.*Mosses/s, 'stay beside their label')
  const sentence = 'It has 12 pages, 5 figures, and was read in Berlin. The journal of moss has accepted it.'
  for (const output of outputsOf(within(`${paragraphs(4)}${records.replace('12 pages', sentence)}`)))
    t.match(output, sentence, 'also with sentences')
  const layout = `<table><tr><td class="sidebar">Ten people.<td>${paragraphs(2)}<tr><td>x<td>y</table>`
  for (const output of outputsOf(within(`${layout}${paragraphs(4, 10)}`)))
    t.notMatch(output, 'Ten people', 'but a layout has the parts of a site')
  const data = '<table><tr><th>Moss</th><th>Shade</th></tr><tr><td>Hypnum</td><td>deep</td></tr></table>'
  const around = `<table role="presentation"><tr><td class="left-nav"><a href="/a">Home of moss</a></td><td>${paragraphs(4)}${data}</td></tr>
    <tr><td colspan="2" class="footer">Imprint of the garden club</td></tr></table>`
  for (const output of outputsOf(`<title>Moss</title><body>${around}</body>`)) {
    t.match(output, /Hypnum.*deep/)
    t.notMatch(output, /Home of moss|Imprint/, 'also if its text has a table of data')
  }
  const beside = `<table><tr><td class="c"><p>x</p></td><td class="content">${paragraphs(4)}</td></tr>
    <tr><td>z</td><td class="comments"><p>Bob: I tried this in my garden for two years, and it grew well.</p></td></tr></table>`
  for (const output of outputsOf(`<title>Moss</title><body>${beside}</body>`))
    t.notMatch(output, 'Bob:', 'nor is prose in a cell a value')
})

test('A date or name beside the words of a heading', async t => {
  for (const [heading, text] of [
    ['4.2.0 <small class="date">2026-11-20</small>', '4.2.0 2026-11-20'],
    ['4.1.0 - <time class="published">2026-10-20</time>', '4.1.0 - 2026-10-20'],
    ['<time class="date">2026-10-20</time>: 4.0', '2026-10-20: 4.0'],
    ['Shade <span class="author">by Ann Lee</span>', 'Shade by Ann Lee'],
  ])
    for (const output of outputsOf(within(`${paragraphs(4)}<h2>${heading}</h2>${paragraphs(2, 10)}`)))
      t.ok(output.replace(/<[^>]+>/g, '').includes(text ?? ''), `is part of it: ${text}`)
  const category = '<h2><span class="kicker">Nature</span> Shade</h2>'
  for (const output of outputsOf(within(`${paragraphs(4)}${category}${paragraphs(2, 10)}`)))
    t.notMatch(output, 'Nature', 'unlike a category before them')
})

test('A name that describes the look', async t => {
  const looks =
    'alert alert-secondary|text-secondary|bg-secondary|bg-body-tertiary|border-secondary rounded|d-print-block|hidden-print|side-by-side|' +
    'card-img-overlay|views-row|views-field views-field-body|views-element-container|accordion-item__dropdown|' +
    'intro_block-has-form|mdx-table_root__adKqa|rule_text__Print'
  for (const name of looks.split('|'))
    for (const output of outputsOf(
      within(
        `${paragraphs(4)}<div class="${name}"><h3>Rain</h3><p>${prose(9)}</p></div>${paragraphs(4, 20)}`,
      ),
    ))
      t.match(output, prose(9), `is no sign of boilerplate: ${name}`)
  for (const name of ['text__print', 'secondary', 'print', 'side', 'overlay', 'views', 'footer-accordion'])
    for (const output of outputsOf(
      within(`${paragraphs(4)}<div class="${name}"><p>Ten people.</p></div>${paragraphs(4, 20)}`),
    ))
      t.notMatch(output, 'Ten people', `unlike another name: ${name}`)
})

test('A text behind a paywall', async t => {
  const offer = '<div class="paywall-offer"><p>Read on for one euro, in the first month.</p></div>'
  const at = (names: string) =>
    outputsOf(
      `<main><h1>Moss lawns</h1><div class="${names}">${paragraphs(2, 1)}</div>${offer}<div class="article-body">${paragraphs(9, 10)}</div></main>`,
    )
  for (const names of ['article-body paywall', 'paywall article__body', 'non-paywall'])
    for (const output of at(names)) {
      t.match(output, prose(1), `is text: ${names}`)
      t.notMatch(output, 'one euro', 'unlike the offer')
    }
  for (const names of ['paywall-copy', 'paywall__body-text', 'newsletter rte'])
    for (const output of at(names)) t.notMatch(output, prose(1), `unlike a part of it: ${names}`)
})

test('Webflow accordions', async t => {
  const request =
    '<div class="faq w-dropdown"><div class="w-dropdown-toggle"><div>How old is moss?</div></div>'
  const answer = `<nav class="w-dropdown-list"><p>${prose(9)}</p></nav></div>`
  for (const output of outputsOf(within(`${paragraphs(4)}${request}${answer}`)))
    t.ok(output.includes('How old is moss?') && output.includes(prose(9)), 'have their answers')
})

test('Notes in asides', async t => {
  const starlight = `<aside aria-label="Caution" class="starlight-aside starlight-aside--caution"><p
    class="starlight-aside__title" aria-hidden="true"><svg></svg>Caution</p><div class="starlight-aside__content"><p>Moss dies.</p></div></aside>`
  const notes = [
    starlight,
    '<aside class="aside aside--note"><p>Moss dies.</p></aside>',
    '<aside class="recipe__ingredients"><ul><li>Moss dies.</li></ul></aside>',
    '<aside class="topic"><p class="topic-title">Death</p><p>Moss dies.</p></aside>', // Docutils
  ]
  for (const note of notes)
    for (const output of outputsOf(within(`${paragraphs(4)}${note}${paragraphs(2, 10)}`)))
      t.match(output, 'Moss dies.', `are text: ${note}`)
  const [, , markdown] = outputsOf(within(`${paragraphs(4)}${starlight}${paragraphs(2, 10)}`))
  t.match(markdown, '> **Caution**\n>\n> Moss dies.', 'with their label')
  const aside = '<aside class="related-note"><p>Moss dies.</p></aside>'
  for (const output of outputsOf(within(`${paragraphs(4)}${aside}`)))
    t.notMatch(output, 'Moss dies', 'unless another name is evidence')
})

test('Formulas with a menu', async t => {
  const formula = `<mjx-container class="MathJax CtxtMenu_Attached_0"><mjx-math aria-hidden="true">x</mjx-math><mjx-assistive-mml><math
    ><mi>x</mi><mo>=</mo><mn>7</mn></math></mjx-assistive-mml></mjx-container>`
  for (const output of outputsOf(within(`${paragraphs(4)}<p>Moss has ${formula} leaves.</p>`)))
    t.match(output, 'Moss has x=7 leaves.', 'are text')
})

test('Headings that resemble requests', async t => {
  for (const heading of ['<h3>Log in</h3>', '<h3><div>Log in</div></h3>'])
    for (const output of outputsOf(within(`${paragraphs(4)}${heading}${paragraphs(2, 10)}`)))
      t.match(output, 'Log in', `are kept: ${heading}`)
})

test('Labels of tabs', async t => {
  const tabs = `<div class="tabs"><input type="radio" id="t1"><label for="t1">npm</label><input type="radio" id="t2"><label
    for="t2">pnpm</label></div><div><label>pip</label><label>conda</label></div>`
  for (const output of outputsOf(within(`${paragraphs(4)}${tabs}${paragraphs(2, 10)}`)))
    t.match(output, /npm +pnpm.*pip +conda/s, 'are separate words')
})

test('Accordions with the role of tabs', async t => {
  const parts = (tab: string) =>
    `<h2>Questions</h2><div class="panel-group" role="tablist">${[1, 2]
      .map(
        at => `<div class="panel">${tab.replaceAll('N', `${at}`)}
        <div id="c${at}" role="tabpanel"><p>It is ${at} years old.</p></div></div>`,
      )
      .join('')}</div>`
  const heading = '<h4><a role="button" href="#cN" aria-controls="cN">How old is moss N?</a></h4>'
  for (const tab of [
    `<div role="tab">${heading}</div>`,
    '<h3 role="tab" aria-controls="cN">How old is moss N?</h3>',
  ])
    for (const output of outputsOf(within(`${paragraphs(4)}${parts(tab)}${paragraphs(2, 10)}`)))
      t.match(
        output,
        /Questions.*How old is moss 1\?.*It is 1 years.*How old is moss 2\?.*It is 2 years/s,
        `are text: ${tab}`,
      )
  const plain = parts('<h3>How old is moss N?</h3>').replaceAll(' role="tabpanel"', '')
  for (const output of outputsOf(within(`${paragraphs(4)}${plain}${paragraphs(2, 10)}`)))
    t.match(output, 'It is 2 years', 'also by the name of an accordion')
  const tabs = `<ul role="tablist"><li role="tab"><a href="#a">Tab one</a></li></ul><div id=a role=tabpanel><p>${prose(9)}</p></div>`
  for (const output of outputsOf(within(`${paragraphs(4)}${tabs}`)))
    t.notMatch(output, 'Tab one', 'unlike tabs above their panels')
})

test('A section with the name of a part of the site', async t => {
  const sections = {
    Partners: '<ul><li>University of Lund, Sweden</li><li>Garden society, Rome</li></ul>',
    Contact: '<p>Ada Moss, phone 040 123456</p>',
    Menu: '<ul><li>Leek soup, 6</li><li>Pie of the day, 12</li></ul>',
    Categories: '<p>There are three: small, medium and large.</p>',
  }
  for (const [heading, html] of Object.entries(sections)) {
    const [inside = ''] = /(?<=>)[^<>]+/.exec(html) ?? []
    const at = (section: string) =>
      within(`${paragraphs(4)}<h2>${heading}</h2>${section}<h2>Rain</h2>${paragraphs(2, 10)}`)
    for (const output of outputsOf(at(html)))
      t.ok(output.includes(heading) && output.includes(inside), `is text: ${heading}`)
    for (const output of outputsOf(at(`<ul>${links(3)}</ul>`)))
      t.notMatch(output, new RegExp(`${heading}|Another story`), `is not text if it has links: ${heading}`)
  }
})

test('The posts of Jetpack that are related', async t => {
  const posts = '<div id="jp-relatedposts" class="jp-relatedposts"><h3><em>Related</em></h3></div>'
  for (const output of outputsOf(within(`${paragraphs(4)}${posts}`))) t.notMatch(output, 'Related')
})

test('The page at an address', async t => {
  const card = '<div class="related-posts"><p>In spring moss is green, and in autumn it is greener.</p></div>'
  const html = `<body>${within(`${paragraphs(4)}${card}`)}</body>`
  const isListing = (url: string) => articleOf(html, url).text.includes('it is greener')
  for (const url of [
    'https://example.com/',
    'https://example.com/?utm_source=mail',
    'https://example.com/?gclid=7',
  ])
    t.ok(isListing(url), `is the front page: ${url}`)
  for (const url of ['https://example.com/?p=12', 'https://example.com/?page_id=3&utm_source=mail'])
    t.notOk(isListing(url), `is an article: ${url}`)
})

test('A panel that a button opens', async t => {
  const request = 'How old is moss?'
  const region = `<div id="s2" role="region" aria-labelledby="a2" hidden><p>${prose(9)}</p></div>`
  const toggle = (attributes: string) => `<button type="button" ${attributes}>${request}</button>`
  const expanded = 'aria-expanded="false" aria-controls="s2" id="a2"'
  const accordions = {
    'a heading above a hidden region': `<h3>${toggle(expanded)}</h3>${region}`,
    'a heading that labels the region': `<h3 id="a2">${toggle('')}</h3>${region}`,
    'a button above a hidden region': `${toggle(expanded)}${region}`,
    'a button of Bootstrap': `<div class="x">${toggle(`class="accordion-button" ${expanded}`)}<div id="s2"><p>${prose(9)}</p></div></div>`,
    'a button without ARIA': `${toggle('class="accordion"')}<div class="panel"><p>${prose(9)}</p></div>`,
    'a hidden text below it': `${toggle('class="accordion"')}<div class="panel" hidden><p>${prose(9)}</p></div>`,
    'a hidden text below its heading': `<h3>${toggle(expanded)}</h3> <div id="s2" style="display:none"><p>${prose(9)}</p></div>`,
  }
  for (const [what, html] of Object.entries(accordions))
    for (const output of outputsOf(within(`${paragraphs(4)}${html}${paragraphs(2, 20)}`))) {
      t.match(output, request, `is text with its question: ${what}`)
      t.match(output, prose(9), `has its answer: ${what}`)
      t.notMatch(output, `${request} `, `separates the two: ${what}`)
    }
  const others = [
    toggle(expanded),
    toggle('class="accordion"'),
    `<header>${toggle(expanded)}<div id="s2"><p>${prose(9)}</p></div></header>`,
    `${toggle(expanded)}<div id="s2"><ul>${links(3)}</ul></div>`,
    `${toggle(`${expanded} aria-haspopup="menu"`)}<div id="s2"><p>${prose(9)}</p></div>`,
    `${toggle('aria-controls="s2"')}<div id="s2"><p>${prose(9)}</p></div>`,
  ]
  const menu = `${toggle(expanded)}<div id="s2" hidden>${prose(9)}<ul>${links(9)}</ul></div>`
  for (const output of outputsOf(within(`${paragraphs(4)}${menu}`)))
    t.notMatch(output, prose(9), 'is no hidden menu')
  const label = '<h2 id="a2">Cart</h2>'
  const regions = [
    region.replace('<p>', `${label}<p>`),
    `${label}${region}`,
    `${toggle('id="a3"')}${region}`,
    region.replace('hidden', 'style="display:none"'),
  ]
  for (const html of regions)
    for (const output of outputsOf(within(`${paragraphs(4)}${html}${paragraphs(2, 20)}`)))
      t.notMatch(output, prose(9), `is no hidden region without its button: ${html}`)
  for (const html of others)
    for (const output of outputsOf(within(`${paragraphs(4)}${html}${paragraphs(2, 20)}`)))
      t.notMatch(output, request, `is not opened by another button: ${html}`)
})

test('A style', async t => {
  const withStyle = (style: string) =>
    within(`${paragraphs(4)}<div style="${style}"><p>${prose(9)}</p></div>`)
  for (const style of ['color:red;display : none', 'visibility: hidden'])
    for (const output of outputsOf(withStyle(style))) t.notMatch(output, prose(9), `hides: ${style}`)
  for (const style of ['backface-visibility:hidden', '--start-display: none'])
    for (const output of outputsOf(withStyle(style)))
      t.match(output, prose(9), `only resembles one: ${style}`)
})

test('Images and advertisements of AMP', async t => {
  const copy = '<noscript><img src="/moss.jpg" alt="Cushion"></noscript>'
  const image = `<figure><amp-img src="/moss.jpg" width="60" height="40" alt="Cushion">${copy}</amp-img></figure>`
  const ad = '<amp-ad type="x"><div fallback>Buy a rake.</div></amp-ad>'
  const [text = '', content = '', markdown = ''] = outputsOf(within(`${paragraphs(3)}${image}${ad}`))
  const address = 'https://www.example.com/moss.jpg'
  const expected = `<img src="${address}" alt="Cushion" width="60" height="40">`
  t.equal(content.split(expected).length, 2, 'the content has the image once')
  t.equal(markdown.split(`![Cushion](${address})`).length, 2, 'so has the Markdown')
  for (const output of [text, content, markdown]) t.notMatch(output, 'Buy a rake')
})

test('Images for readers without scripts', async t => {
  const late = '<img src="data:image/gif;base64,eA==" alt="Cushion">'
  const copy = '<img src="/moss.jpg" alt="Cushion">'
  const picture = `<picture><source srcset="/moss.webp">${copy}</picture>`
  const times = (image: string) => {
    const [, content = '', markdown = ''] = outputsOf(within(`${paragraphs(3)}<p>${image}</p>`))
    return [content, markdown].map(output => output.split('https://www.example.com/moss.jpg').length - 1)
  }
  t.strictSame(times(`${late}<noscript>${copy}</noscript>`), [1, 1], 'replace a placeholder')
  t.strictSame(times(`${late} <noscript>${picture}</noscript>`), [1, 1], 'also in a picture')
  t.strictSame(times(`${copy}<noscript>${copy}</noscript>`), [1, 1], 'do not repeat an image')
  t.strictSame(times(`<noscript>${copy}</noscript>`), [0, 0], 'are left out without an image')
})

test('Images of emoji', async t => {
  for (const [image, emoji] of [
    ['<img class="emoji" alt="😀" src="https://s.w.org/1f600.svg">', '😀'],
    ['<img class="emoji only-emoji" alt=":wave:" title=":wave:" src="/wave.png">', ':wave:'],
  ] as const)
    for (const output of outputsOf(within(`${paragraphs(3)}<p>A line with ${image} is here, as a text.</p>`)))
      t.match(output, `A line with ${emoji} is here`, 'are their text')
})

test('Links in the cells of a table of data', async t => {
  const linked = '<a href="/pool">Long pool</a>'
  const table = (cell: string, header: string) =>
    `<table><tr><th>Step<${header}>Place</tr><tr><td>Rinse<td>${cell}</table>`
  for (const cell of [`<div>${linked}</div>`, `<ul><li>${linked}</li><li><a href="/b">Bay</a></li></ul>`]) {
    for (const output of outputsOf(within(`${paragraphs(3)}${table(cell, 'th')}`)))
      t.match(output, 'Long pool', `are values: ${cell}`)
    for (const output of outputsOf(within(`${paragraphs(3)}<table><tr><td>${cell}</table>`)))
      t.notMatch(output, 'Long pool', 'but not those of a layout')
  }
})
