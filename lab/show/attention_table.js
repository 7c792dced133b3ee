document.querySelectorAll('.heat:not([data-on])').forEach(h=>{h.dataset.on=1
const t=h.querySelector('table'),p=h.querySelector('p'),R=[...t.tBodies[0].rows],H=[...t.tHead.rows[0].cells]
const show=e=>{const d=e.target.closest('td');if(!d)return
const r=d.parentNode.cells[0];t.querySelectorAll('.at').forEach(x=>x.classList.remove('at'))
r.classList.add('at');H[d.cellIndex].classList.add('at')
p.textContent=r.textContent+', '+H[d.cellIndex].textContent+': '+d.textContent}
t.addEventListener('mouseover',show);t.addEventListener('focusin',show)
t.addEventListener('keydown',e=>{const d=e.target.closest('td')
const m={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1]}[e.key];if(!d||!m)return
e.preventDefault();const r=R[R.indexOf(d.parentNode)+m[0]],n=r?.cells[d.cellIndex+m[1]]
if(n?.tagName=='TD'){d.tabIndex=-1;n.tabIndex=0;n.focus()}})})
