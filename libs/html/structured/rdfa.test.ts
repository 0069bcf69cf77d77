/** RDFa Lite 1.1, and the parts of RDFa Core 1.1 and HTML+RDFa 1.1 that pages still use. */
import { test } from 'tap'
import { address, read } from './structured.examples.ts'

const rdfa = (html: string) => read(html).data.rdfa
const s = 'http://schema.org/'

test('RDFa Lite', async t => {
  t.same(
    rdfa(`<p vocab="http://schema.org/" typeof="Person" resource="#ada"> My name is <b property="name"> Ada </b>
      <img property="image" src="a.png"><a property="url" href="/ada">x</a><time property="birthDate" datetime="1815-12-10">x</time>
      <span property="address" typeof="PostalAddress"><i property="addressLocality" content="London">L</i></span></p>`),
    [
      {
        '@id': `${address}#ada`,
        '@type': [`${s}Person`],
        [`${s}name`]: [{ '@value': 'Ada' }],
        [`${s}image`]: [{ '@id': 'https://example.org/dir/a.png' }],
        [`${s}url`]: [{ '@id': 'https://example.org/ada' }],
        [`${s}birthDate`]: [{ '@value': '1815-12-10', '@type': 'http://www.w3.org/2001/XMLSchema#date' }],
        [`${s}address`]: [
          {
            '@id': '_:b0',
            '@type': [`${s}PostalAddress`],
            [`${s}addressLocality`]: [{ '@value': 'London' }],
          },
        ],
      },
    ],
    'states types and properties in a vocabulary',
  )
  t.same(
    rdfa(
      '<p prefix="ov: http://open.vocab.org/terms/" typeof="foaf:Person"><b property="ov:preferredAnimal" lang=en>liger</b></p>',
    ),
    [
      {
        '@id': '_:b0',
        '@type': ['http://xmlns.com/foaf/0.1/Person'],
        'http://open.vocab.org/terms/preferredAnimal': [{ '@value': 'liger', '@language': 'en' }],
      },
    ],
    'expands declared and initial prefixes',
  )
  t.same(
    rdfa('<html><body vocab="http://schema.org/"><p property=name>A<p vocab=""><b property=name>B</b></p>'),
    [{ '@id': address, [`${s}name`]: [{ '@value': 'A' }] }],
    'has the page as its default subject, and needs a vocabulary',
  )
  const meta = '<meta property="og:title" content=x><meta property="twitter:card" content=x>'
  t.same(
    rdfa(`<link rel=stylesheet href=x><link rel="https://api.example/" href=x>${meta}`),
    [],
    'ignores similar markup',
  )
  t.same(
    rdfa('<meta property="dc:title" content=T>'),
    [{ '@id': address, 'http://purl.org/dc/terms/title': [{ '@value': 'T' }] }],
    'may be in a meta',
  )
})

test('RDFa Core', async t => {
  const names = 'prefix="f: http://f/"'
  t.same(
    rdfa(
      `<div ${names} about="#a" rel="f:knows"><p property="f:name">B</p><p about="#c" property="f:name">C</p></div>`,
    ),
    [
      {
        '@id': `${address}#a`,
        'http://f/knows': [
          { '@id': '_:b0', 'http://f/name': [{ '@value': 'B' }] },
          { '@id': `${address}#c` },
        ],
      },
      { '@id': `${address}#c`, 'http://f/name': [{ '@value': 'C' }] },
    ],
    'completes a relation with nested elements',
  )
  t.same(
    rdfa(`<a ${names} about="#a" rel="f:p nofollow" rev="f:q" href="#b">x</a>`),
    [
      { '@id': `${address}#a`, 'http://f/p': [{ '@id': `${address}#b` }] },
      { '@id': `${address}#b`, 'http://f/q': [{ '@id': `${address}#a` }] },
    ],
    'has relations in both directions',
  )
  t.same(
    rdfa(`<div ${names} about="#a"><b property="f:l" inlist>1</b><a rel="f:l" inlist href="#x">2</a></div>`),
    [{ '@id': `${address}#a`, 'http://f/l': [{ '@list': [{ '@value': '1' }, { '@id': `${address}#x` }] }] }],
    'has lists',
  )
  t.same(
    rdfa(
      `<p ${names} about="[f:x]"><b property="f:a" datatype="f:t">1</b><b property="f:b" datatype="rdf:HTML"><i>2</i></b><b property="f:c" datatype="" content="3">x</b></p>`,
    ),
    [
      {
        '@id': 'http://f/x',
        'http://f/a': [{ '@value': '1', '@type': 'http://f/t' }],
        'http://f/b': [{ '@value': '<i>2</i>', '@type': 'http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML' }],
        'http://f/c': [{ '@value': '3' }],
      },
    ],
    'has literals of many types',
  )
  t.same(
    rdfa(
      '<p xmlns:f="http://old/" property="f:a">x</p><p prefix="f: http://new/" xmlns:f="http://old/" property="f:a">y</p>',
    ),
    [{ '@id': address, 'http://old/a': [{ '@value': 'x' }], 'http://new/a': [{ '@value': 'y' }] }],
    'supports the prefixes of XML',
  )
  t.same(
    rdfa(
      `<p ${names} about="_:x" rel="f:p" resource="_:y"></p><p ${names} about="_:y" rel="f:p" resource="_:x"></p>`,
    ),
    [{ '@id': '_:b0', 'http://f/p': [{ '@id': '_:b1', 'http://f/p': [{ '@id': '_:b0' }] }] }],
    'can have cycles',
  )
})
