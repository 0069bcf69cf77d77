/** Changes that violate the rules of titles, headings, words and links. */
import {
  add,
  addToHead,
  at,
  body,
  both,
  description,
  type Pair,
  swap,
  title,
  words,
} from './audit-changes.scene.ts'

export const textsPairs: Record<string, Pair> = {
  'title/missing': { change: swap([/<title>.*<\/title>/, '']) },
  'title/length': {
    change: title(
      'High water and low water at every shore of the world, written for people that live there and for visitors',
    ),
  },
  'title/multiple': { change: addToHead('<title>Tides</title>') },
  'title/outside-head': {
    change: both(
      swap([/<title>.*<\/title>/, '']),
      add('<title>Why high water comes twice a day at most shores</title>'),
    ),
  },
  'title/placeholder': { change: title('Untitled document'), also: ['title/length'] },
  'meta-description/missing': { change: swap([/<meta name="description".*?>/, '']) },
  'meta-description/length': { change: description('Of tides.') },
  'meta-description/multiple': { change: addToHead('<meta name="description" content="Of the sea.">') },
  'meta-description/same-as-title': {
    change: description('Why high water comes twice a day at most shores'),
    also: ['meta-description/length'],
  },
  'h1/missing': { change: swap([/<h1>(.*)<\/h1>/, '<h2>Why high water comes</h2>']) },
  'h1/multiple': { change: add('<h1>Tides again</h1>') },
  'h1/empty': { change: swap([/<h1>.*<\/h1>/, '<h1><span class="title"></span></h1>']) },
  'headings/empty': { change: add('<h2></h2>') },
  'headings/skipped-level': { change: swap(['<h3>Heights</h3>', '<h4>Heights</h4>']) },
  'headings/too-long': { change: add(`<h2>${words(60)}</h2><p>So it is.</p>`) },
  'headings/no-subheadings': {
    change: body(
      `<ul><li id="moon">Tides come and go, and come again.</li></ul>${`<p>${words(100)}</p>`.repeat(2)}<div>${words(700)}</div>`,
    ),
  },
  'content/thin': { change: body('<p id="moon">Tides come and go.</p>') },
  'content/script-shell': {
    change: page => ({
      ...page,
      html: page.html.replace(
        /<body>[\s\S]*<\/body>/,
        '<body><div id="root"></div><script src="/app.js"></script></body>',
      ),
    }),
  },
  'content/placeholder': { change: add('<p>Lorem ipsum dolor sit amet, consectetur adipiscing elit.</p>') },
  'content/hard-to-read': {
    change: add(
      `<div>${'<p>Institutional intermediation necessitates comprehensive administrative interoperability considerations notwithstanding jurisdictional heterogeneity, organizational specialization, epistemological differentiation and methodological incompatibility.</p>'.replace('<p>', '').replace('</p>', '')}</div>`.replace(
        /^<div>(.*)<\/div>$/,
        (_, text) => Array.from({ length: 20 }, (_, n) => `<p>${n}. ${text}</p>`).join(''),
      ),
    ),
  },
  'content/long-paragraphs': { change: add(`<p>${words(240)}</p>`) },
  'content/repeated-paragraph': {
    change: add(
      '<p>Whoever lives at the shore knows all of this by heart, and whoever does not will have to look it up each time anew.</p>'.repeat(
        5,
      ),
    ),
  },
  'charset/missing': {
    change: page => ({
      ...swap(['<meta charset="utf-8">\n', ''], ['The moon</a>', 'The møøn</a>'])(page),
      contentType: 'text/html',
    }),
  },
  'charset/not-utf8': {
    change: page => ({
      ...swap(['<meta charset="utf-8">', '<meta charset="windows-1252">'])(page),
      contentType: 'text/html',
    }),
  },
  'charset/conflict': { change: swap(['<meta charset="utf-8">', '<meta charset="iso-8859-1">']) },
  'charset/late': {
    change: page => ({
      ...swap(
        ['<meta charset="utf-8">\n', ''],
        ['</head>', `<!-- ${'x'.repeat(200)} --><meta charset="utf-8"></head>`],
      )(page),
      contentType: 'text/html',
    }),
  },
  'charset/undecodable': {
    change: page => ({ ...swap(['The moon</a>', 'The møøn</a>'])(page), encoding: 'latin1' }),
  },
  'html/doctype-missing': { change: swap(['<!doctype html>\n', '']) },
  'html/quirks-mode': {
    change: swap(['<!doctype html>', '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">']),
  },
  'html/obsolete-elements': { change: add('<center>Tides</center>') },
  'html/frames': { change: add('<frameset></frameset>'), also: ['html/obsolete-elements'] },
  'lang/missing': { change: swap(['<html lang="en">', '<html>']) },
  'lang/invalid': { change: swap(['<html lang="en">', '<html lang="en_US">']) },
  'lang/xml-mismatch': { change: swap(['<html lang="en">', '<html lang="en" xml:lang="de">']) },
  'viewport/missing': { change: swap([/<meta name="viewport".*?>/, '']) },
  'viewport/fixed-width': { change: swap(['width=device-width, initial-scale=1', 'width=980']) },
  'viewport/zoom-disabled': { change: swap(['initial-scale=1', 'initial-scale=1, user-scalable=no']) },
  'url/underscores': { change: at('https://harbour.example/why_twice') },
  'url/session-id': { change: at('https://harbour.example/tides?PHPSESSID=1') },
  'url/spaces': { change: at('https://harbour.example/why%20twice') },
  'url/double-slash': { change: at('https://harbour.example//tides') },
  'url/many-parameters': { change: at('https://harbour.example/tides?a=1&b=2&c=3&d=4&e=5&f=6') },
  'url/too-long': { change: at(`https://harbour.example/${'tides/'.repeat(350)}`) },
}
