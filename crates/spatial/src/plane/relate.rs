//! How two shapes lie to one another: the dimensionally extended nine-intersection model of OGC.

use types::SqlResult;
use types::pause::Pacer;

use super::arrange::{Place, Rule, arrange};
use crate::shape::Shape;

/// By place in the first shape and place in the second (interior, boundary, exterior): the dimension of what they have in common, -1
/// of nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matrix(pub [[i8; 3]; 3]);

/// The matrix of two shapes without arcs.
pub fn relate(one: &Shape, other: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Matrix> {
    let arranged = arrange(&[(one, 0), (other, 1)], Rule::Rings, pacer)?;
    let mut matrix = [[-1; 3]; 3];
    let mut raise = |one: Place, other: Place, dimension: i8| {
        let cell: &mut i8 = &mut matrix[one as usize][other as usize];
        *cell = dimension.max(*cell);
    };
    raise(Place::Exterior, Place::Exterior, 2);
    let side = |cover: i32| if cover > 0 { Place::Interior } else { Place::Exterior };
    for edge in &arranged.edges {
        raise(arranged.edge_place(edge, 0), arranged.edge_place(edge, 1), 1);
        raise(side(edge.right[0]), side(edge.right[1]), 2);
        raise(side(edge.left[0]), side(edge.left[1]), 2);
    }
    for node in 0..arranged.nodes.len() as u32 {
        raise(arranged.node_place(node, 0), arranged.node_place(node, 1), 0);
    }
    Ok(Matrix(matrix))
}

impl Matrix {
    /// Two shapes that are apart.
    pub fn apart(one: i32, other: i32, boundaries: [i8; 2]) -> Matrix {
        Matrix([[-1, -1, one as i8], [-1, -1, boundaries[0]], [other as i8, boundaries[1], 2]])
    }

    /// Whether the matrix is as `pattern` says: nine of T, F, * and digits. None: no such pattern.
    pub fn fits(&self, pattern: &str) -> Option<bool> {
        if pattern.len() != 9 {
            return None;
        }
        let mut fits = true;
        for (cell, wanted) in self.0.iter().flatten().zip(pattern.bytes()) {
            fits &= match wanted {
                b'T' | b't' => *cell >= 0,
                b'F' | b'f' => *cell < 0,
                b'*' => true,
                b'0'..=b'2' => *cell == (wanted - b'0') as i8,
                _ => return None,
            };
        }
        Some(fits)
    }

    fn is(&self, pattern: &str) -> bool {
        self.fits(pattern).expect("a pattern of nine")
    }

    pub fn intersects(&self) -> bool {
        !self.is("FF*FF****")
    }

    pub fn within(&self) -> bool {
        self.is("T*F**F***")
    }

    pub fn contains(&self) -> bool {
        self.is("T*****FF*")
    }

    pub fn equals(&self) -> bool {
        self.is("T*F**FFF*")
    }

    pub fn touches(&self) -> bool {
        self.is("FT*******") || self.is("F**T*****") || self.is("F***T****")
    }

    pub fn crosses(&self, one: i32, other: i32) -> bool {
        match one.cmp(&other) {
            std::cmp::Ordering::Less => self.is("T*T******"),
            std::cmp::Ordering::Greater => self.is("T*****T**"),
            std::cmp::Ordering::Equal => one == 1 && self.is("0********"),
        }
    }

    pub fn overlaps(&self, one: i32, other: i32) -> bool {
        one == other && if one == 1 { self.is("1*T***T**") } else { self.is("T*T***T**") }
    }
}
