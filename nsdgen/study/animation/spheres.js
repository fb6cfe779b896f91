// Spheres, each a disc that faces the eye and is lit as the sphere that it stands for.
//
// The disc lies inside of its ball. So of bodies that do not overlap each hides the other where the balls would, and a
// sphere costs four corners in place of a hundred. All are one list of corners, as where no graphics card is each copy of
// a shape costs as much as a picture of its own: a thousand spheres move smoothly there as well.

const DISC_CORNERS = `
uniform float radius;
uniform vec3 sunward;
attribute vec2 corner;
attribute vec3 dyed, centre;
attribute vec4 turned;
varying vec2 at;
flat varying vec3 colour, rightward, upward, toward, sunlit, skylit;
vec3 own(vec3 v) { return v + 2.0 * cross(cross(v, turned.xyz) + turned.w * v, turned.xyz); }
void main() {
  vec3 c = isOrthographic ? vec3(viewMatrix[0].z, viewMatrix[1].z, viewMatrix[2].z) : normalize(cameraPosition - centre);
  vec3 a = normalize(cross(abs(c.z) < 0.999 ? vec3(0.0, 0.0, 1.0) : vec3(0.0, 1.0, 0.0), c)), b = cross(c, a);
  float away = length(cameraPosition - centre);
  float outline = isOrthographic ? radius : radius * away / sqrt(max(away * away - radius * radius, 1e-4 * away * away));
  at = corner;
  colour = dyed;
  rightward = own(a); upward = own(b); toward = own(c);
  sunlit = vec3(dot(sunward, a), dot(sunward, b), dot(sunward, c));
  skylit = vec3(a.z, b.z, c.z);
  gl_Position = projectionMatrix * viewMatrix * vec4(centre + outline * (at.x * a + at.y * b), 1.0);
}`;

const DISC_POINTS = `
uniform float opacity, sunlight, skylight, groundlight;
varying vec2 at;
flat varying vec3 colour, rightward, upward, toward, sunlit, skylit;
void main() {
  float square = dot(at, at);
  if (square > 1.0) discard;
  vec3 normal = vec3(at, sqrt(1.0 - square));
  vec3 local = normal.x * rightward + normal.y * upward + normal.z * toward;
  float patched = local.x * local.y * local.z > 0.0 ? 1.0 : 0.72; // dark patches show that it turns
  float light = sunlight * max(dot(normal, sunlit), 0.0) + 0.5 * (skylight + groundlight) + 0.5 * (skylight - groundlight) * dot(normal, skylit);
  float root = sqrt(patched * light); // x^(1/2.4) of sRGB, to 0.0033 from 0.05 to 2.2; a power takes a processor far longer
  vec3 seen = colour * (0.5808 * root + 0.5024 * sqrt(root) - 0.0837) - 0.055; // the power of the colour was taken before
#ifdef SMOOTH
  float edge = sqrt(square);
  gl_FragColor = vec4(seen, opacity * min(1.0, (1.0 - edge) / fwidth(edge)));
#else
  gl_FragColor = vec4(seen, opacity);
#endif
}`;

/** Spheres of one radius; the light is that of the other bodies (Lambert's law). */
function balls(radius, colours, opacity) {
  const count = colours.length, shape = new THREE.BufferGeometry();
  const added = (name, width) => {
    const attribute = new THREE.BufferAttribute(new Float32Array(4 * count * width), width);
    shape.setAttribute(name, attribute);
    return attribute;
  };
  const corner = added("corner", 2), dyed = added("dyed", 3), centre = added("centre", 3), turned = added("turned", 4);
  colours.forEach((colour, i) => [[-1, -1], [1, -1], [1, 1], [-1, 1]].forEach((at, k) => {
    corner.setXY(4 * i + k, ...at);
    dyed.setXYZ(4 * i + k, ...colour.toArray().map((c) => 1.055 * c ** (1 / 2.4)));
  }));
  shape.setIndex(colours.flatMap((_, i) => [0, 1, 2, 0, 2, 3].map((k) => 4 * i + k)));
  const material = new THREE.ShaderMaterial({
    vertexShader: DISC_CORNERS,
    fragmentShader: DISC_POINTS,
    uniforms: {
      radius: { value: radius }, opacity: { value: opacity }, sunward: { value: sunward }, sunlight: { value: sun.intensity / Math.PI },
      skylight: { value: sky.intensity / Math.PI }, groundlight: { value: sky.groundColor.g * sky.intensity / Math.PI },
    },
    defines: slowly ? {} : { SMOOTH: "" },
    transparent: opacity < 1,
    alphaToCoverage: opacity === 1 && !slowly,
  });
  const mesh = new THREE.Mesh(shape, material);
  const ball = new THREE.Sphere(new THREE.Vector3(), radius), met = new THREE.Vector3();
  mesh.raycast = ({ ray }, hits) => {
    for (let i = 0; i < count; i++) {
      ball.center.fromBufferAttribute(centre, 4 * i);
      if (ray.intersectSphere(ball, met)) hits.push({ distance: ray.origin.distanceTo(met), point: met.clone(), object: mesh, instanceId: i });
    }
  };
  const place = (i, m, turn) => {
    const [x, y, z] = m.elements.slice(12);
    for (let k = 4 * i; k < 4 * i + 4; k++) {
      centre.setXYZ(k, x, y, z);
      turned.setXYZW(k, turn.x, turn.y, turn.z, turn.w);
    }
  };
  return { mesh, place, placed: () => { centre.needsUpdate = turned.needsUpdate = true; } };
}
