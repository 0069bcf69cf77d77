/** JSON-LD, microdata, Open Graph and Dublin Core by their specifications. */
import { test } from 'tap'
import { nodesOf, readBlock, readJsonLd, typesOf } from './json-ld.ts'
import { read } from './structured.examples.ts'

const json = (text: string) => `<script type="application/ld+json">${text}</script>`

test('JSON-LD', async t => {
  const page = read(`${json('{"@type":"A"}')}<p>${json('[{"@type":"B"},[{"@type":"C"}],3]')}`)
  t.same(
    page.data['json-ld'],
    [{ '@type': 'A' }, { '@type': 'B' }, { '@type': 'C' }],
    'is read block by block',
  )
  t.equal(page.counts['json-ld'], 3, 'is counted')
  const others = `<script type="application/json">{"a":1}</script><script>{"a":2}</script>`
  t.same(read(others).data['json-ld'], [], 'is recognized by its type')
  t.same(
    read('<script type=" Application/LD+json; charset=utf-8">{"a":1}</script>').data['json-ld'],
    [{ a: 1 }],
    'may have a type with parameters',
  )
  t.same(read(`<template>${json('{"a":1}')}</template>`).data['json-ld'], [], 'is not read from a template')
  const graph = { '@context': 'https://schema.org', '@graph': [{ '@type': 'A' }] }
  t.same(readJsonLd(JSON.stringify(graph)), [graph], 'keeps a graph with its context')
  const nested = readJsonLd(
    '{"@context":{"x":{"@type":"@id"}},"@type":["A","B"],"@graph":[{"a":[{"@type":"C"}]}]}',
  )
  t.same([...nodesOf(nested)].flatMap(typesOf), ['A', 'B', 'C'], 'has nested nodes, without contexts')
})

test('JSON-LD that is not quite JSON', async t => {
  const mended: [what: string, text: string, value: object][] = [
    ['a trailing comma', '{"a":[1,2,],}', { a: [1, 2] }],
    ['a byte order mark', '\ufeff{"a":1,}', { a: 1 }],
    ['line breaks in a text', '{"a":"x\ny\tz"}', { a: 'x\ny\tz' }],
    ['a data section', '\n//<![CDATA[\n{"a":"b"}\n//]]>\n', { a: 'b' }],
    ['a data section on one line', '//<![CDATA[{"a":"b"}//]]>', { a: 'b' }],
    ['a data section in comments', '/*<![CDATA[*/{"a":"b"}/*]]>*/', { a: 'b' }],
    ['a comment of HTML', '<!--\n{"a":1}\n-->', { a: 1 }],
    ['comments', '{ // one\n"a": /* two */ "http://x" }', { a: 'http://x' }],
    ['a semicolon', '{"a":1};', { a: 1 }],
    ['needless backslashes', String.raw`{"a":"it\'s \& \u0041"}`, { a: "it's & A" }],
    ['spaces of other kinds', '{\u00a0"a":\u200b1}', { a: 1 }],
  ]
  for (const [what, text, value] of mended) t.same(readJsonLd(text), [value], `${what} is forgiven`)

  const broken: [text: string, reason: string, position: number][] = [
    ['{"a":"cut', 'unexpected-end', 9],
    ['{"a":1}{"b":2}', 'unexpected-character', 7],
    ['{"a":1,,}', 'unexpected-character', 7],
    ["{'a':1}", 'unexpected-character', 1],
    ['{"a":undefined}', 'unexpected-character', 5],
    [String.raw`{"a":"\d"}`, 'unknown-escape', 6],
    ['[,]', 'unexpected-character', 1],
    [' ', 'empty', 0],
    ['5', 'not-an-object', 0],
    ['['.repeat(65), 'too-deep', 64],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'too-deep', 0],
  ]
  for (const [text, reason, position] of broken)
    t.same(
      readBlock(text),
      { items: [], fault: { reason, position } },
      `${text.slice(0, 20)} is not guessed at`,
    )

  const page = read(`${json('{"a":1}')}${json('{"b":')}${json('{"c":3}')}`)
  t.same(page.data['json-ld'], [{ a: 1 }, { c: 3 }], 'a broken block does not affect others')
  t.same(
    page.errors,
    [{ syntax: 'json-ld', block: 1, reason: 'unexpected-end', position: 5 }],
    'a broken block is reported with its position',
  )
  const large = json(`{"a":"${'x'.repeat(300_000)}"}`)
  t.equal(read(large + large).counts['json-ld'], 1, 'all blocks together are limited')
  t.same(
    readJsonLd('{"__proto__":{"x":1},"a\\u0000":"\\ud800","b":[{"__proto__":1}]}'),
    [{ 'a\ufffd': '\ufffd', b: [{}] }],
    'the result is sanitized',
  )
})

test('Microdata', async t => {
  const items = (html: string) => read(html).data.microdata
  t.same(
    items(`<div itemscope itemtype="https://schema.org/Person https://schema.org/X" itemid="urn:x:1">
      <span itemprop="name nick"> Ada <b>L</b> </span>
      <a itemprop=url href="../ada">x</a><img itemprop=image src="a.png"><meta itemprop=m content=" c ">
      <time itemprop=t datetime=1815>x</time><time itemprop=t>1852</time><data itemprop=d value=1>x</data>
      <meter itemprop=d value=2>x</meter><object itemprop=o data=o></object><link itemprop=l>
      <span itemprop=price content=9>nine</span><p itemprop="">none</p></div>`),
    [
      {
        type: ['https://schema.org/Person', 'https://schema.org/X'],
        id: 'urn:x:1',
        properties: {
          name: ['Ada L'],
          nick: ['Ada L'],
          url: ['https://example.org/ada'],
          image: ['https://example.org/dir/a.png'],
          m: [' c '],
          t: ['1815', '1852'],
          d: ['1', '2'],
          o: ['https://example.org/dir/o'],
          l: [''],
          price: ['nine'],
        },
      },
    ],
    'reads the value of a property by the kind of its element',
  )
  t.same(
    items(
      `<div itemscope><p itemprop=a itemscope itemtype=T><b itemprop=b>1</b></p><p itemscope><i itemprop=c>2</i></p></div>`,
    ),
    [{ properties: { a: [{ type: ['T'], properties: { b: ['1'] } }] } }, { properties: { c: ['2'] } }],
    'nests items that are properties, and no others',
  )
  t.same(
    items(
      `<i id=x itemprop=p>1</i><p itemscope itemref="y x none"><b itemprop=p>2</b></p><div id=y><u itemprop=p>3</u></div>`,
    ),
    [{ properties: { p: ['1', '2', '3'] } }],
    'includes referenced elements, in the order of the page',
  )
  const cycle = read(
    '<div itemscope id=a itemref=b></div><div itemprop=x itemscope id=b itemref=c></div><p id=c><i itemprop=y itemscope itemref=b></i></p>',
  )
  t.same(
    cycle.data.microdata,
    [{ properties: { x: [{ properties: { y: [{ properties: {} }] } }] } }],
    'ends at an item within itself',
  )
  t.match(cycle.errors, [{ syntax: 'microdata', reason: 'cycle' }], 'reports a cycle')
  t.same(
    items(
      '<base href="/base/"><p itemscope><a itemprop=u href=x>x</a><a itemprop=u href="http://[">x</a></p>',
    ),
    [{ properties: { u: ['https://example.org/base/x', 'http://['] } }],
    'resolves addresses against the base, if possible',
  )
  const afterNoBase =
    '<noscript><base href="/no/"></noscript><svg><base href="/svg/"></svg><base href="/base/">'
  t.same(
    read(`${afterNoBase}<p itemscope><a itemprop=u href=x>x</a></p>`).data.microdata,
    [{ properties: { u: ['https://example.org/base/x'] } }],
    'finds the base that browsers use',
  )
  t.same(
    items('<p itemscope><b itemprop=__proto__>x</b></p>')[0]?.properties.x,
    undefined,
    'has harmless names',
  )
})

test('Open Graph', async t => {
  const graph = (html: string) => read(html).data.opengraph
  t.same(
    graph(`<meta property="og:title" content="A"><meta property="OG:Type" content="video.movie">
      <meta property="og:image" content="/a.png"><meta property="og:image:width" content=300>
      <meta property="og:image:height" content=200><meta property="og:image" content="/b.png">
      <meta property="og:image" content="/c.png"><meta property="og:image:width" content=400>
      <meta property="og:locale:alternate" content=de><meta property="og:locale:alternate" content=fr>
      <meta name="article:tag" content=x><meta property="twitter:card" content=x><meta property="og:empty" content="">`),
    [
      {
        'og:title': ['A'],
        'og:type': ['video.movie'],
        'og:image': [
          { 'og:image': 'https://example.org/a.png', 'og:image:width': '300', 'og:image:height': '200' },
          'https://example.org/b.png',
          { 'og:image': 'https://example.org/c.png', 'og:image:width': '400' },
        ],
        'og:locale:alternate': ['de', 'fr'],
        'article:tag': ['x'],
      },
    ],
    'keeps every value, and the details of an image with the image',
  )
  t.same(
    graph('<meta property="og:video:width" content=1><meta property="og:video" content="/v">'),
    [{ 'og:video': [{ 'og:video:width': '1', 'og:video': 'https://example.org/v' }] }],
    'accepts details that come too early',
  )
  t.same(graph('<meta name=description content=x>'), [], 'may be absent')
})

test('Dublin Core', async t => {
  const page = read(`<link rel="schema.DC" href="http://purl.org/dc/elements/1.1/">
    <link rel=schema.terms href="https://purl.org/dc/terms/"><meta name="DC.Title" content=" A "><meta name="dc.title" content="B">
    <meta name="terms.RIGHTSHOLDER" content="C"><meta name="dc:format" content="text/html"><meta name="DC.date.Created" content="2001">
    <link rel="dcterms.license" href="/l"><meta name="other.title" content=x><meta name="dc." content=x><meta name="dctitle" content=x>`)
  t.same(page.data.dublincore, [
    {
      'dc.title': ['A', 'B'],
      'dcterms.rightsHolder': ['C'],
      'dc.format': ['text/html'],
      'dc.date.created': ['2001'],
      'dcterms.license': ['https://example.org/l'],
    },
  ])
})
