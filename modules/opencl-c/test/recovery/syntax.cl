// Twenty mistakes of syntax that have nothing to do with each other.
struct point { int x; int y; } //! CL1201

kernel void k01(global int* x, int n) {
  int a = 1 //! CL1201
  int b = 2;
  x[0] = a + b;
}

kernel void k02(global int* x, int n) {
  if (n > 3 { //! CL1201
    x[1] = 1;
  }
  if n > 4 { //! CL1201
    x[2] = 4;
  }
  x[3] = n;
}

kernel void k03(global int* x, int n) {
  x[0] = min(n 4); //! CL1201
  x[1] = max(n, ); //! CL1202
  int c = n + ; //! CL1202
  x[2] = c + n;
  x[3 = c; //! CL1201
}

kernel void k04(global int* x, int n) {
  if (n > 2)
    x[0] = 1;
    x[1] = 1;
  else //! CL1220
    x[0] = 2;
  flaot f = 1; //! CL1209
  x[2] = f + n;
  cosnt int q = 3; //! CL1209
  x[3] = q;
  uint32_t* z = 0; //! CL1209
  x[4] = z == 0;
}

kernle void k05(global int* x, int a int b) { //! CL1209 CL1201
  x[0] = a + b;
}

kernel void k06(global int* x, global flaot4* y) { //! CL1209
  y[0].x = x[0];
}

kernel k07(global int* x) { //! CL1208
  *x = 1;
}

kernel void k08(global int* x, int n) {
  switch (n) {
    case 1 //! CL1201
      x[0] = 1;
      break;
    default:
      x[0] = 2;
  }
  for (int i = 0; i < n; ++i { //! CL1201
    x[i] = i;
  }
  do x[0]++; while (x[0] < n) //! CL1201
  x[1] = 3;
}

kernel void k09(global int* x, int n) {
  int list[3] = { 1, 2 3 }; //! CL1201
  x[0] = list[n];
  float4 v = (float4)(1.0f, 2.0f 3.0f, 4.0f); //! CL1201
  x[1] = v.x > 1.0f;
  return //! CL1201
}

kernel void k10(global int* x, struct point p) {
  x[0] = p.x;
}
