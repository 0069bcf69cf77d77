/** Pages in the shape of arXiv's abstracts. */
import type { Saved } from '../saved.examples.ts'

export const saved: Saved = {
  full: {
    path: 'abs/2601.00001v2',
    url: 'https://arxiv.org/abs/2601.00001v2',
    page: `<!DOCTYPE html><html lang="en"><head><title>[2601.00001] On Tides</title>
<meta name="citation_title" content="On Tides &amp; Moons" /><meta name="citation_author" content="Keel, Ada" />
<meta name="citation_author" content="Buoy, Ben" /><meta name="citation_doi" content="10.1000/tides.7" />
<meta name="citation_date" content="2026/01/02" /><meta name="citation_online_date" content="2026/02/03" />
<meta name="citation_pdf_url" content="https://arxiv.org/pdf/2601.00001" />
<meta name="citation_arxiv_id" content="2601.00001" /><meta name="citation_abstract" content="Water rises." /></head>
<body><h1 class="title mathjax"><span class="descriptor">Title:</span>On Tides</h1>
<table summary="Additional metadata"><tr><td class="tablecell label">Comments:</td>
<td class="tablecell comments mathjax">7 pages, 2 figures</td></tr>
<tr><td class="tablecell label">Subjects:</td><td class="tablecell subjects"><span class="primary-subject">Water (wa.TE)</span>; Moons (mo.ON)</td></tr>
<tr><td class="tablecell label">Journal&nbsp;reference:</td><td class="tablecell jref">J. Tides 7 (2026) 1</td></tr></table></body></html>`,
    data: [
      {
        id: '2601.00001',
        title: 'On Tides & Moons',
        authors: ['Keel, Ada', 'Buoy, Ben'],
        abstract: 'Water rises.',
        subjects: ['Water (wa.TE)', 'Moons (mo.ON)'],
        comments: '7 pages, 2 figures',
        journal: 'J. Tides 7 (2026) 1',
        doi: '10.1000/tides.7',
        submitted: '2026-01-02',
        updated: '2026-02-03',
        pdf_url: 'https://arxiv.org/pdf/2601.00001',
      },
    ],
  },
  partial: {
    path: 'abs/math.GT/0309136',
    url: 'https://arxiv.org/abs/math.GT/0309136',
    page: '<meta name=citation_title content=Knots><meta name=citation_arxiv_id content=math/0309136><meta name=citation_date content=soon>',
    data: [{ id: 'math/0309136', title: 'Knots', authors: [] }],
  },
  other:
    '<html><head><title>Article identifier not recognized</title></head><body><h1>Not found</h1></body></html>',
  refused: [
    'abs',
    'abs/2601',
    'abs/２６０１.00001',
    'pdf/2601.00001',
    'abs/math/0309136/v1',
    'abs/../2601.00001',
  ],
}
